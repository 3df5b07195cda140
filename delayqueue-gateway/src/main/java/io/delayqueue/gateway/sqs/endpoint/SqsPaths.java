package io.delayqueue.gateway.sqs.endpoint;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The paths of the endpoint: the base, and those of queues below it.
 *
 * @param base path without a slash at its end, empty for the root
 * @param url scheme, host and port of queues' URLs; null for those of the request
 */
public record SqsPaths(String base, @Nullable String url) {

    private static final String ACCOUNT = "000000000000";
    private static final Pattern QUEUE = Pattern.compile("/[0-9]{12}/([^/]+)/?");

    public SqsPaths {
        base = base.endsWith("/") ? base.substring(0, base.length() - 1) : base;
    }

    /** Whether an SQS client made the request. */
    boolean match(HttpServletRequest request) {
        String rest = rest(request);
        if (rest == null
                || !rest.isEmpty() && !rest.equals("/") && !QUEUE.matcher(rest).matches()) {
            return false;
        }
        if (request.getMethod().equals("GET")) {
            String query = request.getQueryString();
            return query != null && (query.startsWith("Action=") || query.contains("&Action="));
        }
        return request.getMethod().equals("POST") && (isJson(request) || isForm(request));
    }

    static boolean isJson(HttpServletRequest request) {
        String target = request.getHeader("X-Amz-Target");
        return target != null && target.startsWith("AmazonSQS.");
    }

    private static boolean isForm(HttpServletRequest request) {
        String type = request.getContentType();
        return type != null && type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded");
    }

    /** Name of the queue in the path, or null. */
    @Nullable
    String queue(HttpServletRequest request) {
        Matcher path = QUEUE.matcher(String.valueOf(rest(request)));
        return path.matches() ? path.group(1) : null;
    }

    private @Nullable String rest(HttpServletRequest request) {
        String start = request.getContextPath() + base;
        String path = request.getRequestURI();
        return path.startsWith(start) ? path.substring(start.length()) : null;
    }

    /** URL before the names of queues. */
    String queues(HttpServletRequest request) {
        String host = url == null ? request.getScheme() + "://" + request.getHeader("Host") : url;
        return host + request.getContextPath() + base + "/" + ACCOUNT + "/";
    }
}
