package io.delayqueue.test;

import java.io.IOException;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives JUnit tests an {@link EmbeddedRedis} as a parameter, empty at the start of each test.
 *
 * <pre>{@code
 * @ExtendWith(EmbeddedRedisExtension.class)
 * class OrdersTests {
 *     @Test
 *     void unpaidOrderIsClosed(EmbeddedRedis redis) { ... }
 * }
 * }</pre>
 *
 * <p>One server serves the whole test run, so tests that share it must not run in parallel. Before each test it is
 * restarted or resumed if the former test killed or paused it, and emptied ({@code FLUSHALL}), also of data that a
 * {@code @BeforeAll} method wrote. Tests that need other settings start a server of their own. Needs JUnit 6.
 */
public final class EmbeddedRedisExtension implements BeforeEachCallback, ParameterResolver {

    private static final Namespace NAMESPACE = Namespace.create(EmbeddedRedisExtension.class);

    @Override
    public void beforeEach(ExtensionContext context) throws IOException {
        EmbeddedRedis redis = server(context);
        redis.ensureResponsive();
        InlineCommand.send(redis.port(), "FLUSHALL");
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == EmbeddedRedis.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return server(context);
    }

    /** The server of this run; the store closes it at the end. */
    private static EmbeddedRedis server(ExtensionContext context) {
        return context.getRoot()
                .getStore(NAMESPACE)
                .computeIfAbsent(EmbeddedRedis.class, key -> EmbeddedRedis.start(), EmbeddedRedis.class);
    }
}
