package io.delayqueue.jdbc.relay;

import java.util.concurrent.ExecutionException;

/** Finds the failure of a future inside the wrapper that waiting for it adds. */
final class FutureFailures {

    private FutureFailures() {}

    /** The failure; a checked one, which no call here has, in an {@link IllegalStateException}. */
    static RuntimeException unchecked(ExecutionException wrapper) {
        return wrapper.getCause() instanceof RuntimeException failure
                ? failure
                : new IllegalStateException(wrapper.getCause());
    }
}
