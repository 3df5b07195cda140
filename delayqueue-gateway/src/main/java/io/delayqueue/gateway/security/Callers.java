package io.delayqueue.gateway.security;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

/** Tells the caller of a request. Applications may have a bean of their own. Safe for use by many threads. */
@FunctionalInterface
public interface Callers {

    /** Lets everyone do everything. */
    Callers OPEN = request -> Caller.EVERYONE;

    /** The caller of a request; null if the request does not prove to be of a known one. */
    @Nullable
    Caller of(HttpServletRequest request);
}
