package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.Backoff;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.MessageInfo;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A receipt settles its message, once, in any process, until its lease is over. */
class PullSettlementTests {

    private static final Duration LONG = Duration.ofMinutes(5);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private PullConsumer pull;

    @BeforeEach
    void makePullConsumer() {
        pull = test.queue().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
    }

    @Test
    void anAckDeletesTheMessage() {
        Receipt receipt = receive("a");

        assertThat(pull.ack(receipt)).isTrue();

        assertThat(test.awaitDrained().totals().acked()).isEqualTo(1);
    }

    @Test
    void anAckIsCountedOnceHoweverOftenItIsMade() {
        Receipt receipt = receive("a");
        Receipt other = receive("b");

        // while the first batch is under way, the others gather
        CompletableFuture<Boolean> first = pull.ackAsync(other);
        List<Boolean> answers = Stream.generate(() -> pull.ackAsync(receipt)).limit(50).toList().stream()
                .map(answer -> answer.orTimeout(20, TimeUnit.SECONDS).join())
                .toList();

        assertThat(answers.stream().filter(held -> held)).hasSize(1);
        assertThat(pull.ack(receipt)).isFalse();
        assertThat(first.join()).isTrue();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(2);
    }

    @Test
    void anyProcessSettlesByTheTextOfTheReceipt() {
        String text = receive("a").toString();
        DelayQueueClient other = test.open(options -> options);

        assertThat(other.pullConsumer(TestQueue.TOPIC, PullConsumerTests.options())
                        .ack(Receipt.parse(text)))
                .isTrue();

        test.awaitDrained();
    }

    @Test
    void aProcessThatKnowsFewerPartitionsSettlesInAnyOfThem() {
        DelayQueueClient many = test.open(options ->
                options.topic("wide", TopicOptions.builder().partitions(8).build()));
        PullConsumer wide = many.pullConsumer("wide", PullConsumerTests.options());
        for (int i = 0; i < 20; i++) {
            many.schedule(OutgoingMessage.to("wide").payload(new byte[1]).build());
        }
        List<PulledMessage> received = new ArrayList<>();
        while (received.size() < 20) {
            received.addAll(wide.receive(20, LONG));
        }
        PullConsumer other = test.queue().pullConsumer("wide", PullConsumerTests.options());

        assertThat(received)
                .allSatisfy(pulled -> assertThat(other.ack(pulled.receipt())).isTrue());

        assertThat(test.queue().stats("wide").totals().acked()).isEqualTo(20);
    }

    @Test
    void aReceiptOfAPartitionThatDoesNotExistIsGoodForNothing() {
        ReceiptData data = ReceiptData.decode(receive("a").toString());
        Receipt elsewhere = Receipt.parse(new ReceiptData(
                        data.topic(), 7, data.id(), data.generation(), data.lease(), data.dueMicros(), 1, 3, 4, false)
                .encode());

        assertThat(pull.ack(elsewhere)).isFalse();
        assertThat(test.stats().inFlight()).isEqualTo(1);
    }

    @Test
    void aRetryCountsAnAttemptAndDeliversAgainAfterItsDelay() {
        Receipt receipt = receive("a");

        assertThat(pull.retry(receipt, Duration.ofMillis(100), "busy")).isEqualTo(RetryOutcome.RETRIED);

        assertThat(pull.ack(receipt)).isFalse();
        PulledMessage again = pull.receive(1, LONG).get(0);
        assertThat(again.message().attempt()).isEqualTo(2);
        assertThat(test.now()).isAfterOrEqualTo(again.message().due());
        assertThat(pull.ack(again.receipt())).isTrue();
        assertThat(test.awaitDrained().totals().retried()).isEqualTo(1);
    }

    @Test
    void aRetryWithoutADelayTakesTheBackoff() {
        PullConsumer own = test.queue()
                .pullConsumer(
                        TestQueue.TOPIC,
                        PullOptions.builder()
                                .backoff(Backoff.fixed(Duration.ofHours(1)))
                                .build());
        Receipt receipt = receive("a");

        assertThat(own.retry(receipt, null, "busy")).isEqualTo(RetryOutcome.RETRIED);

        MessageInfo info = test.queue().find(TestQueue.TOPIC, "a").orElseThrow();
        assertThat(Duration.between(test.now(), Objects.requireNonNull(info.due())))
                .isGreaterThan(Duration.ofMinutes(50));
    }

    @Test
    void theLastRetryDeadLetters() {
        test.queue().schedule(TestQueue.message().id("a").maxAttempts(2).build());
        assertThat(pull.retry(next().receipt(), Duration.ZERO, "one")).isEqualTo(RetryOutcome.RETRIED);
        Receipt last = next().receipt();

        assertThat(pull.retry(last, Duration.ZERO, "two")).isEqualTo(RetryOutcome.DEAD_LETTERED);

        assertThat(pull.retry(last, Duration.ZERO, "three")).isEqualTo(RetryOutcome.LEASE_LOST);
        MessageInfo dead = test.queue().find(TestQueue.TOPIC, "a").orElseThrow();
        assertThat(dead.error()).hasToString("two");
        assertThat(test.stats().totals().deadLettered()).isEqualTo(1);
    }

    @Test
    void aMessageIsDeadLetteredAlthoughAttemptsAreLeft() {
        Receipt receipt = receive("a");

        assertThat(pull.deadLetter(receipt, "x".repeat(5000))).isTrue();

        assertThat(pull.deadLetter(receipt, "again")).isFalse();
        assertThat(test.stats().dead()).isEqualTo(1);
        assertThat(String.valueOf(
                        test.queue().find(TestQueue.TOPIC, "a").orElseThrow().error()))
                .hasSize(2000);
    }

    @Test
    void aReleasedMessageIsDeliveredAgainAtOnceWithNoAttemptCounted() {
        for (int i = 0; i < 10; i++) {
            Receipt receipt = i == 0 ? receive("a") : next().receipt();
            assertThat(pull.release(receipt)).isTrue();
            assertThat(pull.release(receipt)).isFalse();
        }

        PulledMessage last = next();
        assertThat(last.message().attempt()).isEqualTo(1);
        assertThat(pull.ack(last.receipt())).isTrue();
        test.awaitDrained();
    }

    @Test
    void aReceiptStaysGoodHoweverOftenItsLeaseIsExtended() {
        Receipt receipt = receive("a");
        PullConsumer other = test.open(options -> options).pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());

        for (int i = 0; i < 5; i++) {
            assertThat(pull.extend(receipt, Duration.ofMinutes(10 + i))).isTrue();
            assertThat(other.changeLease(receipt, Duration.ofMinutes(20 - i))).isTrue();
        }

        assertThat(leaseLeft("a")).isBetween(Duration.ofMinutes(15), Duration.ofMinutes(16));
        assertThat(other.ack(receipt)).isTrue();
        assertThat(other.extend(receipt, Duration.ofMinutes(1))).isFalse();
        test.awaitDrained();
    }

    @Test
    void anExtensionMakesALeaseNoShorterAndAChangeDoes() {
        Receipt receipt = receive("a");

        assertThat(pull.extend(receipt, Duration.ofSeconds(1))).isTrue();
        assertThat(leaseLeft("a")).isGreaterThan(Duration.ofSeconds(30));

        assertThat(pull.changeLease(receipt, Duration.ofMillis(1))).isTrue();
        PulledMessage again = pull.receive(1, LONG).get(0);
        assertThat(again.message().attempt())
                .as("an expired lease is an attempt")
                .isEqualTo(2);
        assertThat(pull.ack(receipt)).isFalse();
        assertThat(pull.ack(again.receipt())).isTrue();
        test.awaitDrained();
    }

    @Test
    void consumersThatWaitComeForALeaseThatIsMadeShorter() {
        List<Receipt> receipts =
                Stream.of("a", "b", "c", "d", "e").map(this::receive).toList();
        // between two looks, only a wake-up tells it of the new end
        ClaimCounter claims = new ClaimCounter();
        PullConsumer waiting = test.open(options -> options.guardInterval(LONG).observer(claims))
                .pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        assertThat(waiting.receive(1, Duration.ZERO)).isEmpty();
        assertThat(receipts).allMatch(receipt -> pull.extend(receipt, Duration.ofHours(1)));

        for (Receipt receipt : receipts) {
            CompletableFuture<List<PulledMessage>> again = waiting.receiveAsync(1, LONG);
            claims.awaitSilence();
            assertThat(pull.changeLease(receipt, Duration.ofMillis(300))).isTrue();

            assertThat(again.orTimeout(60, TimeUnit.SECONDS).join())
                    .extracting(pulled -> pulled.message().id())
                    .containsExactly(receipt.messageId());
        }
    }

    @Test
    void itsOwnProcessComesForALeaseThatIsMadeShorterWithoutWakeUps() {
        ClaimCounter claims = new ClaimCounter();
        PullConsumer polling = test.open(options ->
                        options.wakeUp(WakeUp.POLL).guardInterval(LONG).observer(claims))
                .pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        Receipt receipt = receive("a");
        assertThat(pull.extend(receipt, Duration.ofHours(1))).isTrue();
        assertThat(polling.receive(1, Duration.ZERO)).isEmpty();
        CompletableFuture<List<PulledMessage>> again = polling.receiveAsync(1, LONG);
        claims.awaitSilence();

        assertThat(polling.changeLease(receipt, Duration.ofMillis(300))).isTrue();

        assertThat(again.orTimeout(60, TimeUnit.SECONDS).join()).hasSize(1);
    }

    @Test
    void callersMayChangeTheirListOfReceipts() {
        List<Receipt> receipts = new ArrayList<>(List.of(receive("a"), receive("b")));

        List<CompletableFuture<Boolean>> answers = pull.ackAllAsync(receipts);
        receipts.clear();

        assertThat(answers)
                .hasSize(2)
                .allMatch(answer -> answer.orTimeout(60, TimeUnit.SECONDS).join());
    }

    @Test
    void callsOnManyReceiptsAtOnceAreEachAnswered() {
        test.scheduleMany(2000);
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        int received = 0;
        while (received < 2000) {
            for (PulledMessage pulled : pull.receive(512, LONG)) {
                Receipt receipt = pulled.receipt();
                received++;
                answers.add(pull.extendAsync(receipt, Duration.ofMinutes(2)));
                answers.add(received % 2 == 0 ? pull.ackAsync(receipt) : pull.deadLetterAsync(receipt, "odd"));
            }
        }
        answers.forEach(answer -> answer.orTimeout(20, TimeUnit.SECONDS).join());

        assertThat(test.stats().totals().acked()).isEqualTo(1000);
        assertThat(test.stats().dead()).isEqualTo(1000);
        assertThat(test.stats().inFlight()).isZero();
    }

    @Test
    void callsForSeveralReceiptsAnswerEachInItsTurn() {
        Receipt acked = receive("a");
        Receipt gone = receive("b");
        Receipt kept = receive("c");
        assertThat(pull.ack(gone)).isTrue();

        assertThat(answers(pull.extendAllAsync(List.of(acked, gone, kept), Duration.ofMinutes(10))))
                .containsExactly(true, false, true);
        assertThat(leaseLeft("c")).isGreaterThan(Duration.ofMinutes(9));
        assertThat(answers(pull.ackAllAsync(List.of(gone, acked, kept)))).containsExactly(false, true, true);

        assertThat(pull.ackAllAsync(List.of())).isEmpty();
        assertThat(test.awaitDrained().totals().acked()).isEqualTo(3);
    }

    @Test
    void callsForSeveralReceiptsSendNothingIfOneIsOfAnotherTopic() {
        Receipt receipt = receive("a");
        Receipt elsewhere = Receipt.parse(new ReceiptData("other", 0, "a", "generatn", 1, 1, 1, 3, 4, false).encode());

        assertThatIllegalArgumentException().isThrownBy(() -> pull.ackAllAsync(List.of(receipt, elsewhere)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pull.extendAllAsync(List.of(receipt, elsewhere), Duration.ofMinutes(10)));
        assertThatIllegalArgumentException().isThrownBy(() -> pull.extendAllAsync(List.of(receipt), Duration.ZERO));

        assertThat(test.stats().inFlight()).isEqualTo(1);
        assertThat(leaseLeft("a")).isLessThan(Duration.ofMinutes(9));
    }

    private static List<Boolean> answers(List<CompletableFuture<Boolean>> futures) {
        return futures.stream()
                .map(future -> future.orTimeout(20, TimeUnit.SECONDS).join())
                .toList();
    }

    @Test
    void receiptsOfOtherTopicsAndWrongLeasesAreRefusedByName() {
        Receipt receipt = receive("a");
        PullConsumer other = test.queue().pullConsumer("other", PullConsumerTests.options());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> other.ack(receipt))
                .withMessage("the receipt is of topic 'orders', not 'other'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pull.extend(receipt, Duration.ZERO))
                .withMessageContaining("lease");
        assertThatIllegalArgumentException().isThrownBy(() -> pull.changeLease(receipt, Duration.ofDays(2)));
    }

    @Test
    void receivedMessagesOutliveThePullConsumer() {
        Receipt receipt = receive("a");

        pull.close();

        assertThat(test.stats().inFlight()).isEqualTo(1);
        assertThatThrownBy(() -> pull.ack(receipt)).isInstanceOf(DelayQueueClosedException.class);
        assertThatThrownBy(() -> pull.ackAllAsync(List.of(receipt))).isInstanceOf(DelayQueueClosedException.class);
        assertThat(test.queue()
                        .pullConsumer(TestQueue.TOPIC, PullConsumerTests.options())
                        .ack(receipt))
                .isTrue();
    }

    private Receipt receive(String id) {
        test.schedule(id);
        return next().receipt();
    }

    private PulledMessage next() {
        List<PulledMessage> received = pull.receive(1, Duration.ofSeconds(20));
        assertThat(received).hasSize(1);
        return received.get(0);
    }

    private Duration leaseLeft(String id) {
        Double deadline = test.redis().zscore(TestQueue.key("leased"), id);
        assertThat(deadline).isNotNull();
        return Duration.ofNanos((deadline.longValue() - test.nowMicros()) * 1000);
    }
}
