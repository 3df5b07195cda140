package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Redis answers nothing for a while: callers are told in time, and nothing is lost or grows without bound. */
class PullWithSilentRedisTests {

    private static final Duration COMMAND_TIMEOUT = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server);

    private DelayQueueClient queue;
    private PullConsumer pull;

    @BeforeEach
    void makePullConsumer() {
        queue = test.open(options -> options.commandTimeout(COMMAND_TIMEOUT).guardInterval(Duration.ofSeconds(1)));
        pull = queue.pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
    }

    @AfterEach
    void resume() {
        test.server().resume();
    }

    @Test
    void aSettlementThatIsNotAnsweredFailsAndIsAppliedLater() {
        Receipt receipt = receive(1).get(0).receipt();
        test.server().pause();

        assertThatThrownBy(() -> pull.ack(receipt))
                .isInstanceOf(RedisUnavailableException.class)
                .hasMessageContaining("did not settle message '0' of topic 'orders' within PT0.5S; still retrying");
        assertThatThrownBy(() -> pull.ackAsync(receipt).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(RedisUnavailableException.class);

        test.server().resume();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void settlementsTogetherThatAreNotAnsweredFailEachAndAreAppliedLater() {
        List<Receipt> receipts = receive(2).stream().map(PulledMessage::receipt).toList();
        test.server().pause();

        List<CompletableFuture<Boolean>> answers = pull.ackAllAsync(receipts);

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(answers.get(i).orTimeout(20, TimeUnit.SECONDS)::join)
                    .hasCauseInstanceOf(RedisUnavailableException.class)
                    .hasMessageContaining(
                            "did not settle message '" + receipts.get(i).messageId() + "'");
        }
        test.server().resume();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(2);
    }

    @Test
    void aCallThatGetsNothingFailsIfRedisDoesNotAnswer() {
        receive(1);
        test.server().pause();

        assertThatThrownBy(() -> pull.receive(1, Duration.ofSeconds(3)))
                .isInstanceOf(RedisUnavailableException.class)
                .hasMessageContaining("unknown whether messages of topic 'orders' are due");
        assertThatThrownBy(() -> pull.receive(1, Duration.ZERO)).isInstanceOf(RedisUnavailableException.class);
    }

    @Test
    void callsThatWaitGetTheirMessagesWhenRedisIsBack() {
        receive(1);
        List<CompletableFuture<List<PulledMessage>>> calls =
                Stream.generate(() -> pull.receiveAsync(1, LONG)).limit(10).toList();
        test.server().pause();
        TestQueue.await().until(() -> !pull.isHealthy());
        test.server().resume();

        test.queue()
                .scheduleAll(IntStream.range(0, 10)
                        .mapToObj(i -> TestQueue.message().build())
                        .toList());

        assertThat(calls.stream()
                        .mapToInt(call ->
                                call.orTimeout(20, TimeUnit.SECONDS).join().size())
                        .sum())
                .isEqualTo(10);
        assertThat(pull.isHealthy()).isTrue();
    }

    @Test
    void settlementsThatWaitAreBounded() {
        Receipt receipt = receive(1).get(0).receipt();
        test.server().pause();
        List<CompletableFuture<Boolean>> answers = IntStream.range(0, 10_001)
                .mapToObj(i -> pull.ackAsync(receiptOf("nobody's " + i)))
                .toList();

        assertThatThrownBy(answers.get(10_000)::join)
                .hasCauseInstanceOf(ClientOverloadedException.class)
                .hasMessageContaining("10000 settlements of topic 'orders' wait for Redis: nothing was sent");

        test.server().resume();
        // the answer is false if an earlier call was applied, and told too late
        TestQueue.await()
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(pull.ack(receipt)).isIn(true, false));
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    private static Receipt receiptOf(String id) {
        return Receipt.parse(new ReceiptData(TestQueue.TOPIC, 0, id, "generatn", 1, 1, 1, 3, 4, false).encode());
    }

    private List<PulledMessage> receive(int count) {
        test.scheduleMany(count);
        List<PulledMessage> received = pull.receive(count, LONG);
        assertThat(received).hasSize(count);
        return received;
    }
}
