package io.delayqueue.gateway.security;

import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Identifies callers in several ways; the first one that knows the caller takes precedence.
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
