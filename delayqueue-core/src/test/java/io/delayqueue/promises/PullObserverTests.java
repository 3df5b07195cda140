package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An observer is told of pulled messages as of those that a handler gets. */
class PullObserverTests implements DelayQueueObserver {

    private static final Duration LONG = Duration.ofSeconds(20);

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final Set<String> generations = ConcurrentHashMap.newKeySet();
    private final List<String> told = new CopyOnWriteArrayList<>();

    @Test
    void deliveriesAndOutcomesAreReported() {
        PullConsumer pull =
                test.open(options -> options.observer(this)).pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        test.schedule("a");
        pull.retry(next(pull).receipt(), Duration.ZERO, "busy");
        PulledMessage second = next(pull);
        pull.ack(second.receipt());
        pull.ack(second.receipt());
        test.schedule("b");
        PulledMessage b = next(pull);
        pull.release(b.receipt());
        pull.deadLetter(next(pull).receipt(), "enough");

        assertThat(generations).doesNotContain("").hasSize(2);

        assertThat(told)
                .containsExactly(
                        "delivered a 1",
                        "retried a 1 in PT0S for busy",
                        "delivered a 2",
                        "acked a 2",
                        "leaseLost a 2",
                        "delivered b 1",
                        "released b 1",
                        "delivered b 1",
                        "deadLettered b 1 enough");
    }

    private static PulledMessage next(PullConsumer pull) {
        return pull.receive(1, LONG).get(0);
    }

    @Test
    void anObserverOfHandlersAloneIsNotifiedOfPulledMessagesAsOfTheirs() {
        DelayQueueObserver ofHandlers = new DelayQueueObserver() {
            @Override
            public void delivered(ReceivedMessage message, Duration lag) {
                told.add("delivered");
            }

            @Override
            public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
                told.add("retried " + error);
            }

            @Override
            public void released(ReceivedMessage message) {
                told.add("released");
            }
        };
        PullConsumer pull = test.open(options -> options.observer(ofHandlers))
                .pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        test.schedule("a");
        pull.retry(next(pull).receipt(), Duration.ZERO, "busy");
        pull.release(next(pull).receipt());

        assertThat(told).containsExactly("delivered", "retried null", "delivered", "released");
    }

    @Override
    public void pulled(ReceivedMessage message, Duration lag) {
        assertThat(message.payload()).isNotEmpty();
        assertThat(lag.isNegative()).isFalse();
        tell("delivered", message, "");
    }

    @Override
    public void acked(ReceivedMessage message) {
        tell("acked", message, "");
    }

    @Override
    public void retriedByReceipt(ReceivedMessage message, Duration delay, String reason) {
        tell("retried", message, " in " + delay + " for " + reason);
    }

    @Override
    public void releasedByReceipt(ReceivedMessage message) {
        tell("released", message, "");
    }

    @Override
    public void deadLettered(String topic, String id, @Nullable String generation, int attempts, String error) {
        generations.add(String.valueOf(generation));
        told.add("deadLettered " + id + " " + attempts + " " + error);
    }

    @Override
    public void leaseLost(ReceivedMessage message) {
        tell("leaseLost", message, "");
    }

    private void tell(String event, ReceivedMessage message, String more) {
        generations.add(message.generation());
        told.add(event + " " + message.id() + " " + message.attempt() + more);
    }
}
