package io.delayqueue.gateway.security;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Callers that the application authenticated, by Spring Security for example. Their roles are their rights, on all topics:
 * {@code DELAYQUEUE_PRODUCER}, {@code DELAYQUEUE_CONSUMER} and {@code DELAYQUEUE_OPERATOR}. A user without any is known, and may do
 * nothing.
 */
public final class RoleCallers implements Callers {

    private static final List<String> ALL_TOPICS = List.of("*");

    @Override
    public @Nullable Caller of(HttpServletRequest request) {
        Principal principal = request.getUserPrincipal();
        if (principal == null) {
            return null;
        }
        // asked now: other threads, on which a request goes on, don't know the user
        Set<Right> rights = EnumSet.noneOf(Right.class);
        for (Right right : Right.values()) {
            if (request.isUserInRole(role(right))) {
                rights.add(right);
            }
        }
        return new Caller(principal.getName(), new TopicRights(rights, ALL_TOPICS));
    }

    private static String role(Right right) {
        return switch (right) {
            case PRODUCE -> "DELAYQUEUE_PRODUCER";
            case CONSUME -> "DELAYQUEUE_CONSUMER";
            case OPERATE -> "DELAYQUEUE_OPERATOR";
        };
    }
}
