package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.internal.store.ScheduleAnswer;
import io.delayqueue.model.ModelMessage.State;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Schedules messages, and repeats such calls. */
final class ScheduleSteps {

    private ScheduleSteps() {}

    record Schedule(List<MessageSpec> specs) implements Step {
        @Override
        public void run(Session session) {
            // the last message of each id: a batch has an id once
            Map<String, OutgoingMessage> batch = specs.stream()
                    .map(spec -> spec.toMessage(session.topic, session.own(spec.id())))
                    .collect(Collectors.toMap(OutgoingMessage::id, message -> message, (first, second) -> second));
            session.sent.addAll(batch.values());
            schedule(session, List.copyOf(batch.values()));
        }
    }

    /** Schedules the same objects again, as a client does after a lost reply: at once or much later. */
    record ScheduleAgain(int back) implements Step {
        @Override
        public void run(Session session) {
            if (!session.sent.isEmpty()) {
                int last = session.sent.size() - 1;
                schedule(session, List.of(session.sent.get(last - back % session.sent.size())));
            }
        }
    }

    private static void schedule(Session session, List<OutgoingMessage> batch) {
        OptionalLong headBefore = head(session);
        var call = session.call(() -> session.store.schedule(session.partition, batch));
        List<@Nullable ScheduleOutcome> expected = session.model.schedule(batch, call.when());
        assertThat(call.answer().outcomes()).as("outcomes of %s", batch).isEqualTo(expected);
        awaitMoments(session, batch);
        Comparison.pinDueTimes(session);
        checkHead(call, headBefore, head(session));
    }

    /** An earlier head must be in the answer: it wakes sleeping consumers. */
    private static void checkHead(Session.Answered<ScheduleAnswer> call, OptionalLong before, OptionalLong after) {
        if (after.isPresent() && (before.isEmpty() || after.getAsLong() < before.getAsLong())) {
            assertThat(call.answer().headWaitMicros())
                    .as("µs until the new head is due, which was %s and is %s", before, after)
                    .isBetween(
                            Math.max(0, after.getAsLong() - call.when().to()),
                            Math.max(0, after.getAsLong() - call.when().from()));
        }
    }

    private static OptionalLong head(Session session) {
        return session.model.in(State.PENDING).stream()
                .mapToLong(ModelMessage::dueMicros)
                .min();
    }

    static void awaitMoments(Session session, List<OutgoingMessage> batch) {
        if (batch.stream().anyMatch(message -> message.delay().equals(Delay.of(Times.MOMENT)))) {
            session.clock.awaitLaterThan(session.clock.micros() + Times.MOMENT.toNanos() / 1000);
        }
    }
}
