package io.delayqueue.spring.testsupport;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Fails a test after which {@code ACL LOG} of the server that tests share says that the {@link DocumentedUser} was denied
 * something. Registered for all tests.
 */
public final class NothingDeniedExtension implements AfterEachCallback {

    @Override
    public void afterEach(ExtensionContext context) {
        EmbeddedRedis shared = context.getRoot()
                .getStore(Namespace.create(EmbeddedRedisExtension.class))
                .get(EmbeddedRedis.class, EmbeddedRedis.class);
        if (shared != null && shared.isRunning()) {
            shared.resume();
            assertThat(DocumentedUser.denied(shared))
                    .as("denied to the documented user")
                    .isEmpty();
        }
    }
}
