package io.delayqueue.gateway.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Callers that are told in several ways, of which the first that knows the caller counts.
 *
 * @param ways the ways
 */
public record FirstOfCallers(List<Callers> ways) implements Callers {

    public FirstOfCallers {
        ways = List.copyOf(ways);
    }

    @Override
    public @Nullable Caller of(HttpServletRequest request) {
        for (Callers way : ways) {
            Caller caller = way.of(request);
            if (caller != null) {
                return caller;
            }
        }
        return null;
    }
}
