package io.delayqueue.dashboard.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.context.ApplicationContext;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.RequestMatcher;
import org.springframework.web.context.support.WebApplicationContextUtils;

/**
 * Matches requests to the dashboard, wherever it is served, for the application's own {@code SecurityFilterChain}. Matches nothing where
 * the dashboard is disabled. Thread-safe.
 */
public final class DashboardRequest {

    private DashboardRequest() {}

    /** Each request to the dashboard: the page, its files and its API. */
    public static RequestMatcher any() {
        return request -> patterns(
                request, Stream.of("", "/", "/topic", "/message", "/search", "/activity", "/api/**", "/assets/**"));
    }

    /** Requests that change something. */
    public static RequestMatcher writes() {
        return request -> "POST".equals(request.getMethod()) && patterns(request, Stream.of("/api/**"));
    }

    private static boolean patterns(HttpServletRequest request, Stream<String> patterns) {
        ApplicationContext context = WebApplicationContextUtils.getWebApplicationContext(request.getServletContext());
        DashboardPaths paths = context == null
                ? null
                : context.getBeanProvider(DashboardPaths.class).getIfAvailable();
        if (paths == null) {
            return false;
        }
        List<RequestMatcher> matchers = patterns.<RequestMatcher>map(pattern ->
                        PathPatternRequestMatcher.withDefaults().matcher(paths.servlet() + paths.path() + pattern))
                .toList();
        return matchers.stream().anyMatch(matcher -> matcher.matches(request));
    }
}
