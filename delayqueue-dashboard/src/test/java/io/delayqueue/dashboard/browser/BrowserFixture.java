package io.delayqueue.dashboard.browser;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.dashboard.testsupport.ChromiumExtension;
import io.delayqueue.dashboard.testsupport.Dashboard;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/** A dashboard for all tests of a class, which they open in a browser. */
@ExtendWith({ChromiumExtension.class, EmbeddedRedisExtension.class})
@Tag("slow")
abstract class BrowserFixture {

    /** The page's path after {@link #startAlone}. */
    static final String ALONE = "/delayqueue";

    /** The page's path after {@link #startBehindPaths}. */
    static final String BEHIND_PATHS = "/shop/mvc/ops/queues";

    static final String PATIENT = "delayqueue.command-timeout=20s";

    private static final AtomicInteger TOPICS = new AtomicInteger();

    static Dashboard dashboard;
    static DelayQueueClient client;
    static Messages messages;

    /** A client knows topics that it has seen, also when Redis has been emptied: so each test has its own. */
    final String topic = "orders-" + TOPICS.incrementAndGet();

    static void startAlone(EmbeddedRedis redis, String... properties) {
        use(Dashboard.start(redis, properties));
    }

    /** Behind a context path and a servlet's path. */
    static void startBehindPaths(EmbeddedRedis redis) {
        use(Dashboard.start(
                redis,
                PATIENT,
                "server.servlet.context-path=/shop",
                "delayqueue.dashboard.path=/ops/queues",
                "spring.mvc.servlet.path=/mvc",
                "server.forward-headers-strategy=framework"));
    }

    private static void use(Dashboard started) {
        dashboard = started;
        client = started.client();
        messages = new Messages(client);
    }

    @AfterAll
    static void close() {
        dashboard.close();
    }
}
