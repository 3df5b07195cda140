package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PartitionMark;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.OutboxBatchAnswer;
import io.delayqueue.internal.store.OutboxBatchAnswer.Change;
import io.delayqueue.internal.store.OutboxBatchAnswer.Result;
import io.delayqueue.internal.store.OutboxStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Changes that come by way of an outbox, and come again later: then they change nothing, and are answered as the first time. */
final class OutboxSteps {

    private OutboxSteps() {}

    record Schedule(List<MessageSpec> specs) implements Step {
        @Override
        public void run(Session session) {
            Map<String, OutgoingMessage> batch = specs.stream()
                    .map(spec -> spec.toMessage(session.topic, session.own(spec.id())))
                    .collect(Collectors.toMap(OutgoingMessage::id, message -> message, (first, second) -> second));
            List<OutgoingMessage> messages = List.copyOf(batch.values());
            send(
                    session,
                    messages.stream()
                            .<OutboxOperation>map(OutboxOperation.Schedule::new)
                            .toList(),
                    when -> session.model.schedule(messages, when).stream()
                            .map(Schedule::result)
                            .toList());
            ScheduleSteps.awaitMoments(session, messages);
        }

        private static Result result(@Nullable ScheduleOutcome outcome) {
            return outcome == null ? Result.TOPIC_FULL : Result.valueOf(outcome.name());
        }
    }

    record Cancel(Set<String> ids) implements Step {
        @Override
        public void run(Session session) {
            List<OutboxOperation> operations = session.own(ids).stream()
                    .<OutboxOperation>map(
                            id -> new OutboxOperation.Cancel(session.topic, id, OutboxOperation.newToken()))
                    .toList();
            send(
                    session,
                    operations,
                    when -> session.own(ids).stream()
                            .map(session.model::cancel)
                            .map(CancelOutcome::name)
                            .map(Result::valueOf)
                            .toList());
        }
    }

    /** @param times one for each id */
    record Reschedule(Map<String, Times> times, int shift) implements Step {
        @Override
        public void run(Session session) {
            Map<String, Delay> delays = new LinkedHashMap<>();
            times.forEach((id, time) -> delays.put(session.own(id), time.delay(shift)));
            List<OutboxOperation> operations = new ArrayList<>();
            delays.forEach((id, delay) -> operations.add(
                    new OutboxOperation.Reschedule(session.topic, id, OutboxOperation.newToken(), delay)));
            send(session, operations, when -> {
                List<Result> results = new ArrayList<>();
                delays.forEach((id, delay) -> {
                    RescheduleOutcome outcome = session.model.reschedule(id, Times.due(delay, when));
                    results.add(Result.valueOf(outcome.name()));
                });
                return results;
            });
            if (times.containsValue(Times.SOON)) {
                session.clock.awaitLaterThan(session.clock.micros() + Times.MOMENT.toNanos() / 1000);
            }
        }
    }

    /** Sends changes again, as a relay does after a lost reply, or one that was frozen. */
    record SendAgain(int back, int count) implements Step {
        @Override
        public void run(Session session) {
            List<Session.Applied> all = session.applied;
            // a batch has an id and a kind once
            Map<String, Session.Applied> batch = new LinkedHashMap<>();
            for (int i = all.size() - 1 - back; i >= 0 && batch.size() < count; i--) {
                Session.Applied each = all.get(i);
                if (batch.values().stream()
                        .allMatch(other ->
                                other.operation().getClass() == each.operation().getClass())) {
                    batch.putIfAbsent(each.operation().id(), each);
                }
            }
            if (batch.isEmpty()) {
                return;
            }
            OutboxBatchAnswer answer = apply(
                    session,
                    batch.values().stream().map(Session.Applied::operation).toList());
            assertThat(answer.changes())
                    .isEqualTo(batch.values().stream()
                            .map(each -> new Change(each.result(), true, null))
                            .toList());
            assertThat(answer.headWaitMicros()).isEqualTo(-1);
            assertThat(answer.mark().sent()).isEqualTo(session.applied.size());
        }
    }

    private static void send(
            Session session, List<OutboxOperation> operations, Function<TimeWindow, List<Result>> expected) {
        String epoch = epoch(session);
        var call = session.call(() -> session.store
                .outbox()
                .apply(
                        session.partition,
                        new OutboxBatch(operations, session.clock.micros(), epoch, OutboxOptions.DEFAULTS)));
        List<Change> changes = call.answer().changes();
        assertThat(changes).noneMatch(Change::repeated);
        assertThat(changes.stream().map(Change::result).toList())
                .as("results of %s", operations)
                .isEqualTo(expected.apply(call.when()));
        for (int i = 0; i < operations.size(); i++) {
            if (changes.get(i).result() != Result.TOPIC_FULL) {
                session.applied.add(
                        new Session.Applied(operations.get(i), changes.get(i).result()));
            }
        }
        assertThat(call.answer().mark().sent()).isEqualTo(session.applied.size());
    }

    private static OutboxBatchAnswer apply(Session session, List<OutboxOperation> operations) {
        return Session.join(session.store
                .outbox()
                .apply(
                        session.partition,
                        new OutboxBatch(operations, session.clock.micros(), epoch(session), OutboxOptions.DEFAULTS)));
    }

    /** The partition's epoch, as clients know it; the first step begins it. */
    private static String epoch(Session session) {
        OutboxStore outbox = session.store.outbox();
        PartitionMark mark = Session.join(outbox.mark(session.partition));
        return Objects.requireNonNull(
                (mark.epoch() != null ? mark : Session.join(outbox.beginEpoch(session.partition, null))).epoch());
    }

    /** Forgets everything, as a relay has Redis do while a topic is idle. */
    static void forget(Session session) {
        long later = session.clock.micros() + Duration.ofMinutes(1).toNanos() / 1000;
        assertThat(Session.join(session.store.outbox().forget(session.partition, later))
                        .left())
                .isZero();
    }
}
