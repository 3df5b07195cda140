package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ClaimGate;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A gate that holds claims behind each new connection. */
class ClaimGateTests {

    @RegisterExtension
    final TestQueue test = new TestQueue(builder -> builder);

    private final AtomicInteger asked = new AtomicInteger();
    private final Map<String, AtomicInteger> handled = new ConcurrentHashMap<>();
    private volatile CompletableFuture<Void> answer = CompletableFuture.completedFuture(null);

    /** Claims that the server did not answer wait in the connection, which sends them again to the next one. */
    @Test
    void aServerThatComesBackOlderIsNotClaimedBeforeTheGateOpens() {
        DelayQueueClient queue = queue((topic, partition) -> {
            asked.incrementAndGet();
            return answer;
        });
        schedule(queue, message("revived"));
        test.redis().save();
        consume(queue, TestQueue.TOPIC);
        awaitHandled("revived", 1);
        int askedBefore = asked.get();
        assertThat(askedBefore).isPositive();
        answer = new CompletableFuture<>();

        // claims are read and not answered, so the kill closes the connection without an error
        test.redis()
                .dispatch(
                        CommandType.CLIENT,
                        new StatusOutput<>(StringCodec.UTF8),
                        new CommandArgs<>(StringCodec.UTF8)
                                .add("PAUSE")
                                .add(60_000)
                                .add("WRITE"));
        TestQueue.await()
                .until(() -> test.redis()
                        .clientList()
                        .lines()
                        .anyMatch(client -> client.contains("cmd=evalsha") && client.matches(".* flags=[^ ]*b.*")));
        test.server().kill();
        test.server().restart();

        TestQueue.await().until(() -> asked.get() > askedBefore);
        TestQueue.await()
                .ignoreExceptions()
                .untilAsserted(
                        () -> assertThat(queue.stats(TestQueue.TOPIC).pending().ready())
                                .isEqualTo(1));
        // many guard intervals
        TestQueue.await().during(Duration.ofMillis(500)).untilAsserted(() -> {
            assertThat(handled.get("revived")).hasValue(1);
            assertThat(queue.stats(TestQueue.TOPIC).inFlight()).isZero();
        });
        answer.complete(null);
        awaitHandled("revived", 2);
    }

    @Test
    void aGateThatStaysShutHoldsItsTopicOnly() {
        answer = new CompletableFuture<>();
        DelayQueueClient queue =
                queue((topic, partition) -> topic.equals("shut") ? answer : CompletableFuture.completedFuture(null));
        consume(queue, "shut");
        consume(queue, TestQueue.TOPIC);
        schedule(
                queue,
                OutgoingMessage.to("shut").id("held").payload(new byte[1]).build());
        schedule(queue, message("other"));

        awaitHandled("other", 1);
        assertThat(handled).doesNotContainKey("held");
        answer.complete(null);
        awaitHandled("held", 1);
    }

    @Test
    void aGateThatFailsIsOpen() {
        DelayQueueClient queue = queue((topic, partition) -> {
            if (asked.incrementAndGet() == 1) {
                throw new IllegalStateException("on purpose");
            }
            return CompletableFuture.failedFuture(new IllegalStateException("on purpose"));
        });
        consume(queue, TestQueue.TOPIC);
        schedule(queue, message("a"));
        awaitHandled("a", 1);
    }

    private DelayQueueClient queue(ClaimGate gate) {
        return test.open(options ->
                options.claimGate(gate).guardInterval(Duration.ofMillis(20)).commandTimeout(Duration.ofSeconds(5)));
    }

    private static void schedule(DelayQueueClient queue, OutgoingMessage message) {
        assertThat(queue.schedule(message).outcome()).isEqualTo(ScheduleOutcome.SCHEDULED);
    }

    private void consume(DelayQueueClient queue, String topic) {
        queue.subscribe(
                        topic,
                        TestQueue.options().build(),
                        (message, delivery) -> handled.computeIfAbsent(message.id(), id -> new AtomicInteger())
                                .incrementAndGet())
                .start();
    }

    private void awaitHandled(String id, int times) {
        TestQueue.await()
                .untilAsserted(() -> assertThat(handled.getOrDefault(id, new AtomicInteger()))
                        .hasValue(times));
    }

    private static OutgoingMessage message(String id) {
        return TestQueue.message().id(id).build();
    }
}
