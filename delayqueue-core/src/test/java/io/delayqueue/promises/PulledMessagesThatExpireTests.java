package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A receiver dies, or settles nothing: the leases end, and that is bounded as after crashes of consumers. */
class PulledMessagesThatExpireTests {

    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void aMessageThatIsNeverSettledIsDeadLetteredAfterItsAttempts() {
        PullConsumer pull = pull();
        test.queue().schedule(TestQueue.message().id("a").maxAttempts(4).build());

        List<Integer> attempts = new ArrayList<>();
        while (test.stats().dead() == 0) {
            for (PulledMessage pulled : pull.receive(10, Duration.ofMillis(200))) {
                attempts.add(pulled.message().attempt());
                // as a client does that has begun
                pull.extend(pulled.receipt(), Duration.ofMinutes(1));
                test.expireLeaseOf("a");
            }
        }

        // the last one is repeated twice: nobody knows whether the message was alone with the one that died
        assertThat(attempts).startsWith(1, 2, 3, 4).hasSizeLessThanOrEqualTo(6);
        assertThat(attempts.subList(3, attempts.size())).containsOnly(4);
        assertThat(test.stats().totals().deadLettered()).isEqualTo(1);
    }

    /** Of the messages that one answer had, the one that kills comes alone in the end, and the others survive it. */
    @Test
    void theNeighboursOfAMessageThatKillsSurvive() {
        PullConsumer pull = pull();
        test.queue().schedule(TestQueue.message().id("killer").build());
        test.scheduleMany(9);

        // a receiver dies of an answer with the killer, and acks the others
        for (int answers = 0; test.stats().dead() == 0; answers++) {
            assertThat(answers).isLessThan(200);
            // none if the killer has just died of its last attempt
            List<PulledMessage> answer = pull.receive(10, Duration.ofMillis(500));
            if (PullConsumerTests.ids(answer).contains("killer")) {
                answer.forEach(pulled -> test.expireLeaseOf(pulled.message().id()));
            } else {
                answer.forEach(pulled -> assertThat(pull.ack(pulled.receipt())).isTrue());
            }
        }
        while (test.stats().totals().acked() < 9) {
            pull.receive(10, LONG)
                    .forEach(pulled -> assertThat(pull.ack(pulled.receipt())).isTrue());
        }

        assertThat(test.stats().dead()).isEqualTo(1);
        assertThat(test.queue().deadLetters(TestQueue.TOPIC).list(0, 10))
                .extracting(dead -> dead.id())
                .containsExactly("killer");
    }

    /** Before that, its handling may not have begun. */
    @Test
    void aSingleAttemptIsSpentWhenItsLeaseWasExtended() {
        PullConsumer pull = pull();
        test.queue().schedule(TestQueue.message().id("a").maxAttempts(1).build());
        for (int i = 0; i < 5; i++) {
            assertThat(pull.receive(1, LONG).get(0).message().attempt()).isEqualTo(1);
            test.expireLeaseOf("a");
        }
        PulledMessage begun = pull.receive(1, LONG).get(0);
        pull.extend(begun.receipt(), Duration.ofMinutes(1));

        test.expireLeaseOf("a");

        assertThat(pull.receive(1, Duration.ofMillis(300))).isEmpty();
        TestQueue.await().until(() -> test.stats().dead() == 1);
    }

    @Test
    void manySuspectsAreReceivedWithoutWaitingForEachOther() {
        PullConsumer pull = pull();
        int count = 100;
        for (int i = 0; i < count; i++) {
            test.queue().schedule(TestQueue.message().id("m" + i).maxAttempts(5).build());
        }
        for (int round = 0; round < 2; round++) {
            List<PulledMessage> all = new ArrayList<>();
            while (all.size() < count) {
                all.addAll(pull.receive(100, LONG));
            }
            all.forEach(pulled -> test.expireLeaseOf(pulled.message().id()));
        }

        List<PulledMessage> suspects = new ArrayList<>();
        while (suspects.size() < count) {
            List<PulledMessage> answer = pull.receive(100, LONG);
            assertThat(answer).as("after %s", suspects.size()).hasSize(1);
            suspects.addAll(answer);
        }

        assertThat(PullConsumerTests.ids(suspects)).doesNotHaveDuplicates();
        assertThat(test.redis().zcard(TestQueue.key("suspects"))).isZero();
        suspects.forEach(pulled -> assertThat(pull.ack(pulled.receipt())).isTrue());
        test.awaitDrained();
    }

    private PullConsumer pull() {
        // expired leases are found by the guard, too
        return test.open(options -> options.guardInterval(Duration.ofMillis(100)))
                .pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
    }
}
