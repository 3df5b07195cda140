package io.delayqueue.dashboard.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;

/**
 * Where the dashboard is served.
 *
 * @param servlet path of Spring MVC's servlet, empty or beginning with a slash
 * @param path path of the dashboard below it, beginning with a slash
 */
public record DashboardPaths(String servlet, String path) {

    private static final Pattern PREFIX = Pattern.compile("(/[^/\\\\;?#\\s]+)*");

    /**
     * The path as the browser sees it: with the context path, and with the prefix of a proxy if the application takes forwarded headers.
     */
    public String base(HttpServletRequest request) {
        String prefix = request.getContextPath();
        // some servlet containers take it from the URL as it was sent, which may name another host
        String safe = PREFIX.matcher(prefix).matches()
                ? prefix
                : request.getServletContext().getContextPath();
        return safe + servlet + path;
    }

    /** URL patterns of the dashboard's own answers; other controllers may have paths below it. */
    public String[] urlPatterns() {
        String base = servlet + path;
        return new String[] {
            base,
            base + "/",
            base + "/topic",
            base + "/message",
            base + "/search",
            base + "/activity",
            base + "/api/*",
            base + "/assets/*"
        };
    }
}
