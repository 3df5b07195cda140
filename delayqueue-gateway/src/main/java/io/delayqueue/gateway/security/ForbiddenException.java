package io.delayqueue.gateway.security;

import java.util.Locale;

/** A caller lacks a right on a topic. */
public final class ForbiddenException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** An exception about a caller, the right that it lacks, and a topic. */
    public ForbiddenException(String caller, Right right, String topic) {
        super("caller '" + caller + "' may not " + right.name().toLowerCase(Locale.ROOT) + " on topic '" + topic + "'");
    }
}
