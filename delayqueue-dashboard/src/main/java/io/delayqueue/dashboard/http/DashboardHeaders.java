package io.delayqueue.dashboard.http;

import jakarta.servlet.http.HttpServletResponse;

/** Headers of each answer of the dashboard: the browser runs and loads nothing but its own files, and tells no other host of it. */
final class DashboardHeaders {

    static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

    private DashboardHeaders() {}

    static void set(HttpServletResponse response) {
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cache-Control", "no-store");
    }
}
