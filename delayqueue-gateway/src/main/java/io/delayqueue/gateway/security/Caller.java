package io.delayqueue.gateway.security;

import java.util.Objects;

/**
 * The program that makes a request, as far as the gateway knows it.
 *
 * @param name its name: of a token, a key or a principal; no secret
 * @param rights its rights
 */
public record Caller(String name, Rights rights) {

    /** All callers of a gateway that is open to everyone. */
    public static final Caller EVERYONE = new Caller("everyone", Rights.ALL);

    public Caller {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(rights, "rights");
    }

    /** Whether this caller has a right on a topic. */
    public boolean may(Right right, String topic) {
        return rights.allow(right, topic);
    }

    /**
     * Refuses this caller unless it has a right on a topic.
     *
     * @throws ForbiddenException if it has not
     */
    public void require(Right right, String topic) {
        if (!may(right, topic)) {
            throw new ForbiddenException(name, right, topic);
        }
    }
}
