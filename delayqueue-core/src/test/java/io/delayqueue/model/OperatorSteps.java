package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.internal.store.DeadLetterStore;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.model.ModelMessage.State;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Steps of operators and applications on messages that are not in flight, and on the topic. */
final class OperatorSteps {

    private OperatorSteps() {}

    record Cancel(Set<String> ids) implements Step {
        @Override
        public void run(Session session) {
            List<String> batch = session.own(ids);
            assertThat(Session.join(session.store.cancel(session.partition, batch)))
                    .isEqualTo(batch.stream().map(session.model::cancel).toList());
        }
    }

    record Reschedule(Set<String> ids, Times time, int shift) implements Step {
        @Override
        public void run(Session session) {
            List<String> batch = session.own(ids);
            Delay delay = time.delay(shift);
            var call = session.call(() -> session.store.reschedule(session.partition, batch, delay));
            TimeWindow due = Times.due(delay, call.when());
            assertThat(call.answer().outcomes())
                    .isEqualTo(batch.stream()
                            .map(id -> session.model.reschedule(id, due))
                            .toList());
            assertThat(call.answer().waitMicros())
                    .isBetween(
                            Math.max(0, due.from() - call.when().to()),
                            Math.max(0, due.to() - call.when().from()));
            if (time == Times.SOON) {
                session.clock.awaitLaterThan(due.to());
            }
        }
    }

    record Redrive(Set<String> ids) implements Step {
        @Override
        public void run(Session session) {
            List<String> own = session.own(ids);
            var call =
                    session.call(() -> session.store.deadLetters().redrive(session.partition, own, RedriveTimes.NOW));
            assertThat(call.answer().count()).isEqualTo((int) session.model.redrive(own, call.when()));
        }
    }

    /** @param now whether it redrives all that are dead now, or those that were dead an hour ago: none */
    record RedriveAll(boolean now) implements Step {
        @Override
        public void run(Session session) {
            long until = now
                    ? DeadLetterStore.NOW
                    : session.clock.micros() - Duration.ofHours(1).toNanos() / 1000;
            var call = session.call(
                    () -> session.store.deadLetters().redriveUntil(session.partition, until, RedriveTimes.NOW));
            long expected = now ? session.model.redrive(dead(session), call.when()) : 0;
            assertThat(call.answer().count()).isEqualTo(expected);
            assertThat(call.when().contains(call.answer().timeMicros())).isTrue();
        }
    }

    record Purge(Set<String> ids) implements Step {
        @Override
        public void run(Session session) {
            List<String> own = session.own(ids);
            assertThat(Session.join(session.store.deadLetters().purge(session.partition, own)))
                    .hasSize((int) session.model.purge(own));
        }
    }

    /** @param all whether it purges all, or only those older than an hour: none */
    record PurgeOld(boolean all) implements Step {
        @Override
        public void run(Session session) {
            Duration age = all ? Duration.ZERO : Duration.ofHours(1);
            assertThat(Session.join(session.store.deadLetters().purgeOlderThan(session.partition, age)))
                    .hasSize(all ? (int) session.model.purge(dead(session)) : 0);
        }
    }

    record PurgePending(Set<String> ids) implements Step {
        @Override
        public void run(Session session) {
            List<String> own = session.own(ids);
            assertThat(Session.join(session.store.pendingMessages().purge(session.partition, own)))
                    .hasSize((int) session.model.purgePending(own));
        }
    }

    record Pause(boolean paused) implements Step {
        @Override
        public void run(Session session) {
            Session.join(session.store.setPaused(session.partition, paused));
            session.model.paused = paused;
        }
    }

    private static List<String> dead(Session session) {
        return session.model.in(State.DEAD).stream()
                .map(message -> message.sent.id())
                .toList();
    }
}
