package io.delayqueue.gateway.security;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Identifies the caller of a request. An application may define a bean of this type. Safe for use by many threads. */
@FunctionalInterface
public interface Callers {

    /** Lets everyone do everything. */
    Callers OPEN = request -> Caller.EVERYONE;

    /** The caller of a request; null if it can't be authenticated. */
    @Nullable
    Caller of(HttpServletRequest request);
}
