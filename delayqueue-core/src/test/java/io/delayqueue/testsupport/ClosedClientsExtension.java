package io.delayqueue.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test class that leaves a client open. It would go on to log, and to take threads and connections, in the tests that
 * come next in this JVM. Found by JUnit for every class, so that none can forget it.
 */
public final class ClosedClientsExtension implements BeforeAllCallback, AfterAllCallback {

    /** The engine's timer, which ends when its client is closed and not before. */
    private static final String TIMER = "delayqueue-timer";

    @Override
    public void beforeAll(ExtensionContext context) {
        store(context).put(NewThreads.class, new NewThreads());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        NewThreads threads = store(context).get(NewThreads.class, NewThreads.class);
        Eventually.asserted(() -> {
            assertThat(threads.named(TIMER))
                    .as("clients that %s did not close", context.getDisplayName())
                    .isEmpty();
            assertThat(threads.named(EngineFixtures.TIMER))
                    .as("timers that %s did not end", context.getDisplayName())
                    .isEmpty();
        });
    }

    private ExtensionContext.Store store(ExtensionContext context) {
        return context.getStore(ExtensionContext.Namespace.create(getClass(), context.getUniqueId()));
    }
}
