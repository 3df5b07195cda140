package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.NewThreads;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The application starts before its Redis does. */
class RedisAwayAtStartTests {

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server);

    private static final NewThreads THREADS = new NewThreads();

    private final ClaimCounter claims = new ClaimCounter();
    private LogLines log;
    private DelayQueueClient queue;

    @BeforeEach
    void serverIsDown() {
        // a client that is closed may still be printing a line
        TestQueue.await().until(() -> THREADS.named("delayqueue-timer").isEmpty());
        test.server().kill();
        log = LogLines.ofEngine();
        queue = test.open(
                options -> options.commandTimeout(Duration.ofMillis(500)).observer(claims));
    }

    @AfterEach
    void closeLog() {
        log.close();
    }

    @Test
    void consumerStartsWithOneWarningAndConsumesOnceRedisIsThere() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        Subscription subscription = TestQueue.consume(queue, TestQueue.options(), deliveries);

        TestQueue.await().until(() -> claims.failed() >= 4);

        assertThat(warnings()).singleElement().asString().contains("Redis").doesNotContain("\n");
        assertThat(subscription.isRunning()).isTrue();
        TestQueue.await().until(() -> !subscription.isHealthy());
        test.server().restart();
        TestQueue.await().until(subscription::isHealthy);
        test.schedule("at last");
        assertThat(deliveries.next().id()).isEqualTo("at last");
        test.awaitDrained();
        assertThat(warnings()).hasSize(1);
        assertThat(log.events())
                .extracting(ILoggingEvent::getFormattedMessage)
                .filteredOn(line -> line.contains("works again"))
                .hasSize(1);
    }

    @Test
    void callsFailWithinTheCommandTimeoutAndSayWhy() {
        OutgoingMessage message = TestQueue.message().id("a").build();
        long begun = System.nanoTime();

        assertThatThrownBy(() -> queue.schedule(message))
                .isInstanceOfSatisfying(
                        RedisUnavailableException.class,
                        e -> assertThat(e.topic()).isEqualTo(TestQueue.TOPIC));
        assertThatThrownBy(() -> queue.stats(TestQueue.TOPIC)).isInstanceOf(RedisUnavailableException.class);
        assertThatThrownBy(() -> queue.inspectServers()).isInstanceOf(RedisUnavailableException.class);

        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(15));
        test.server().restart();
        TestQueue.await().ignoreExceptions().until(() -> queue.schedule(message) != null);
        assertThat(test.stats().totals().accepted()).isEqualTo(1);
    }

    @Test
    void subscriptionStopsPromptlyWhileRedisIsDown() {
        Subscription subscription = TestQueue.consume(queue, TestQueue.options(), (message, delivery) -> {});
        TestQueue.await().until(() -> claims.failed() >= 1);
        long begun = System.nanoTime();

        assertThat(subscription.stop(Duration.ofSeconds(5))).isTrue();

        assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(15));
        test.server().restart();
    }

    private List<String> warnings() {
        return log.events().stream()
                .filter(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }
}
