package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.RedisUnavailableException;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.TestSocketUtils;

/** Operations of committed transactions for a Redis that never comes back. */
@ExtendWith(OutputCaptureExtension.class)
class CommittedOperationsTests {

    private final Logger log = (Logger) LoggerFactory.getLogger(CommittedOperations.class);
    private final RedisClient redis = RedisClient.create("redis://127.0.0.1:" + TestSocketUtils.findAvailableTcpPort());
    private final DelayQueueClient client = DelayQueueClient.create(
            redis,
            DelayQueueOptions.builder().commandTimeout(Duration.ofMillis(200)).build());

    @BeforeEach
    void logWarnings() {
        log.setLevel(Level.WARN);
    }

    @AfterEach
    void close() {
        log.setLevel(null);
        client.close();
        redis.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }

    @Test
    void operationsAreGivenUpAndLoggedAfterTheirTime(CapturedOutput output) {
        CommittedOperations committed = new CommittedOperations(client::completingOn, Duration.ofSeconds(8));
        List<AfterCommitOperation<?>> operations = List.of(
                AfterCommitOperation.cancel("orders", "one"),
                AfterCommitOperation.reschedule("orders", "two", Delay.NONE));

        committed.send(operations);

        assertThat(operations)
                .allSatisfy(operation -> assertThat(operation.answer())
                        .failsWithin(Duration.ofMinutes(1))
                        .withThrowableThat()
                        .withCauseInstanceOf(RedisUnavailableException.class));
        assertThat(output)
                .contains("wait for Redis and are repeated")
                .contains("cancel 'one' of topic 'orders'", "reschedule 'two' of topic 'orders'");
    }

    @Test
    void stopEndsThousandsOfOperationsOnOneMessage(CapturedOutput output) {
        CommittedOperations committed = new CommittedOperations(client);
        List<AfterCommitOperation<?>> operations = IntStream.range(0, 5_000)
                .<AfterCommitOperation<?>>mapToObj(i -> AfterCommitOperation.cancel("orders", "one"))
                .toList();
        CompletableFuture.runAsync(() -> committed.send(operations)).join();

        committed.stop(Duration.ofMillis(100));

        assertThat(operations)
                .allSatisfy(operation -> assertThat(operation.answer())
                        .failsWithin(Duration.ZERO)
                        .withThrowableThat()
                        .withCauseInstanceOf(DelayQueueException.class));
        // without the line of one that fails itself at the stop
        assertThat(output.getOut()
                        .lines()
                        .filter(line -> line.contains("given up at the stop")
                                && line.contains("cancel 'one' of topic 'orders'")))
                .as("lines of a hundred each")
                .hasSize(50);
    }

    @Test
    void stoppedOperationsAreNotRepeated() {
        CommittedOperations committed = new CommittedOperations(client);
        committed.stop(Duration.ZERO);
        List<AfterCommitOperation<?>> operations = List.of(AfterCommitOperation.cancel("orders", "one"));

        committed.send(operations);

        assertThat(operations.get(0).answer())
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .withCauseInstanceOf(RedisUnavailableException.class);
    }
}
