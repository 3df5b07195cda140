package io.delayqueue.dashboard.http;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;
import org.springframework.web.filter.OncePerRequestFilter;

/** Sets the {@link DashboardHeaders} before anything else can answer, so that those of refused and failed requests have them, too. */
public final class DashboardHeadersFilter extends OncePerRequestFilter {

    /** Before Spring Security, which answers some requests itself; after Spring's filter of forwarded headers. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        DashboardHeaders.set(response);
        chain.doFilter(request, response);
    }
}
