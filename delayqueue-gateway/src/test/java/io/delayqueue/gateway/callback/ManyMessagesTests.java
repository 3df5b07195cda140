package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.callback.CallbackOutcome.MessageOutcome;
import io.delayqueue.gateway.callback.CallbackOutcome.TargetOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Thousands of due messages of one target in several instances, in the time of a simulation. */
class ManyMessagesTests {

    private static final long MILLI = Duration.ofMillis(1).toNanos();
    private static final int PARALLELISM = 10;
    private static final long CALL_MILLIS = 50;
    private static final int MESSAGES = 20_000;

    /** Most of a delay between a message's due time and its handler. */
    private static final int MOST_LATE_MILLIS = 5;

    private final Random random = new Random(20_261_126);
    private final PriorityQueue<Message> due =
            new PriorityQueue<>(Comparator.comparingLong(Message::dueMillis).thenComparingInt(Message::number));
    private final PriorityQueue<Call> calls = new PriorityQueue<>(Comparator.comparingLong(Call::endMillis));
    private final List<Integer> called = new ArrayList<>();
    private long claims;
    private long nowMillis;

    private record Message(int number, long dueMillis) {}

    private record Call(Flow flow, Admission.Granted granted, long endMillis) {}

    private Flow flow() {
        return new Flow(
                new FlowLimits(Double.POSITIVE_INFINITY, PARALLELISM, 5, Duration.ofSeconds(5), Duration.ofMinutes(1)),
                () -> nowMillis * MILLI,
                random::nextDouble);
    }

    private void schedule(int messages) {
        for (int i = 0; i < messages; i++) {
            due.add(new Message(i, 0));
        }
    }

    /**
     * Lets time pass.
     *
     * @param claimed the time at which what is due at a time is claimed, in milliseconds
     * @param answers whether the target answers a call that ends at a time
     */
    private void run(List<Flow> instances, long untilMillis, LongUnaryOperator claimed, LongPredicate answers) {
        for (; nowMillis < untilMillis; nowMillis++) {
            while (!calls.isEmpty() && calls.peek().endMillis <= nowMillis) {
                Call call = calls.remove();
                call.flow.ended(
                        call.granted,
                        new CallbackOutcome(
                                MessageOutcome.RETRY,
                                answers.test(nowMillis) ? TargetOutcome.ANSWERS : TargetOutcome.FAILS,
                                null,
                                "test"));
            }
            while (!due.isEmpty() && claimed.applyAsLong(due.peek().dueMillis) <= nowMillis) {
                Message message = due.remove();
                Flow flow = instances.get(random.nextInt(instances.size()));
                claims++;
                Admission admission = flow.admit("m" + message.number);
                if (admission instanceof Admission.Granted granted) {
                    called.add(message.number);
                    calls.add(new Call(flow, granted, nowMillis + CALL_MILLIS));
                } else {
                    Duration delay = ((Admission.Refused) admission).delay();
                    due.add(new Message(
                            message.number, nowMillis + delay.toMillis() + random.nextInt(MOST_LATE_MILLIS)));
                }
            }
        }
    }

    /** Messages that one instance postponed come back in the other one, too. */
    @Test
    void twoInstancesDoTheWorkOfTwo() {
        schedule(MESSAGES);
        run(List.of(flow(), flow()), 10_000, dueAt -> dueAt, ended -> true);

        long possible = 2 * PARALLELISM * 10_000 / CALL_MILLIS;
        assertThat(called.size()).as("calls of %s that are possible", possible).isGreaterThan((int) (0.7 * possible));
    }

    @Test
    void messagesThatAStallOfRedisHeldUpKeepTheirTurn() {
        schedule(MESSAGES);
        Flow flow = flow();
        run(List.of(flow), 10_000, dueAt -> dueAt, ended -> true);
        long before = claims;
        int first = called.size();

        // what is due while Redis stands still is claimed afterwards
        run(List.of(flow), 20_000, dueAt -> dueAt < 13_000 && dueAt >= 10_000 ? 13_000 : dueAt, ended -> true);
        List<Integer> afterwards = called.subList(first, called.size());
        long possible = PARALLELISM * 7_000 / CALL_MILLIS;
        assertThat(afterwards.size()).isGreaterThan((int) (0.8 * possible));
        // those whose turn came meanwhile are the next ones, beside those whose turn is now
        int held = (int) (PARALLELISM * 3_000 / CALL_MILLIS);
        assertThat(afterwards.subList(0, 2 * held).stream()
                        .filter(number -> number < first + held)
                        .count())
                .isGreaterThan(held / 2);
        assertThat(claims - before).as("each is claimed a few times").isLessThan(5L * afterwards.size());
    }

    @Test
    void aHostThatIsDownForAMinuteCostsFewAttempts() {
        schedule(MESSAGES);
        run(List.of(flow()), 60_000, dueAt -> dueAt, ended -> false);

        // trials after 5, 15 and 35 s
        assertThat(called.size()).isLessThanOrEqualTo(PARALLELISM + 5 + 3);
    }
}
