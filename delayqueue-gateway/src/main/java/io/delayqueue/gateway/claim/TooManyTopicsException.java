package io.delayqueue.gateway.claim;

/** A caller has reached its maximum of topics in use. Nothing was claimed or changed. */
public final class TooManyTopicsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    TooManyTopicsException(String caller, int most) {
        // the caller's fault: no reason for a stack trace
        super(
                "calls of caller '" + caller + "' are under way in " + most
                        + " topics, the maximum: wait for some of them",
                null,
                false,
                false);
    }
}
