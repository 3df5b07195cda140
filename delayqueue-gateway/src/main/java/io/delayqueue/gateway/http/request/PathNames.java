package io.delayqueue.gateway.http.request;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.http.problem.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.web.util.UriUtils;

/** Names in a request's path and query, checked before anything else is done with them. */
public final class PathNames {

    private PathNames() {}

    /** The topic of a path, if topics can be called so. */
    public static String topic(String topic) {
        try {
            OutgoingMessage.to(topic);
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid("topic", String.valueOf(e.getMessage()));
        }
        return topic;
    }

    /** The id of a path, else of the query. */
    public static String id(@Nullable String pathId, HttpServletRequest request) {
        String id = pathId != null ? pathId : parameter(request, "id");
        if (id == null) {
            throw ProblemException.invalid("id", "is needed, in the path or as a parameter");
        }
        try {
            OutgoingMessage.to("topic").id(id);
        } catch (IllegalArgumentException e) {
            throw ProblemException.invalid("id", String.valueOf(e.getMessage()));
        }
        return id;
    }

    /** A parameter that is true or false; false if absent. */
    public static boolean flag(HttpServletRequest request, String name) {
        String value = parameter(request, name);
        if (value == null || value.equals("false")) {
            return false;
        }
        if (!value.equals("true")) {
            throw ProblemException.invalid(name, "must be true or false");
        }
        return true;
    }

    /** A parameter of the query; null if absent. The container is not asked: it fails in its own way if one is malformed. */
    public static @Nullable String parameter(HttpServletRequest request, String name) {
        String query = request.getQueryString();
        if (query == null) {
            return null;
        }
        for (String part : query.split("&", -1)) {
            if (part.startsWith(name + "=")) {
                try {
                    return UriUtils.decode(part.substring(name.length() + 1).replace('+', ' '), StandardCharsets.UTF_8);
                } catch (IllegalArgumentException e) {
                    throw ProblemException.invalid(name, "is not percent-encoded as URLs are");
                }
            }
        }
        return null;
    }
}
