package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.model.ModelMessage.State;
import io.delayqueue.model.Session.Answered;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/** Compares the answer to a claim with the model, and updates the model. */
final class ClaimCheck {

    /** Higher priority first, then earlier due time; the order of equals is not promised. */
    private static final Comparator<ModelMessage> ORDER = Comparator.comparingInt(
                    (ModelMessage message) -> -message.sent.priority())
            .thenComparingLong(ModelMessage::dueMicros);

    /** A prefetched message waits that long at most. */
    private static final long PREFETCH_MICROS = 10_000;

    private static final int DEFAULT_PRIORITY = 4;

    private final Session session;
    private final TopicModel model;
    private final ClaimSteps.Claim step;
    private final ClaimAnswer answer;
    private final TimeWindow when;

    ClaimCheck(Session session, ClaimSteps.Claim step, Answered<ClaimAnswer> call) {
        this.session = session;
        this.model = session.model;
        this.step = step;
        this.answer = call.answer();
        this.when = call.when();
    }

    void check() {
        assertThat(when.contains(answer.timeMicros()))
                .as("time %s within %s", answer.timeMicros(), when)
                .isTrue();
        assertThat(answer.paused()).isEqualTo(model.paused);
        assertThat(answer.orphans()).isZero();
        List<ModelMessage> overdue = ClaimSteps.overdue(session, answer.timeMicros());
        if (!overdue.isEmpty()) {
            checkExpiredLeases(overdue);
            return;
        }
        assertThat(answer.leaseExpired()).isEmpty();
        assertThat(answer.deadLettered()).isEmpty();
        if (step.purging()) {
            List<String> dead = ids(model.in(State.DEAD));
            assertThat(answer.deadPastRetention()).isEqualTo(dead.size());
            assertThat(Session.join(
                            session.store.deadLetters().purgeByRetention(session.partition, Duration.ofHours(1))))
                    .as("purged by the recorded retention")
                    .hasSize((int) model.purge(dead));
        }
        checkLeased();
    }

    private void checkExpiredLeases(List<ModelMessage> overdue) {
        List<String> again = new ArrayList<>();
        List<ClaimAnswer.DeadLettered> dead = new ArrayList<>();
        for (ModelMessage message : overdue) {
            String id = message.sent.id();
            if (model.expireLease(message, Session.DEFAULT_ATTEMPTS, when)) {
                dead.add(new ClaimAnswer.DeadLettered(id, message.failedAttempts));
            } else {
                again.add(id);
            }
        }
        assertThat(answer.leaseExpired())
                .as("retried after an expired lease")
                .containsExactlyInAnyOrderElementsOf(again);
        assertThat(answer.deadLettered())
                .as("dead-lettered after an expired lease")
                .containsExactlyInAnyOrderElementsOf(dead);
        assertThat(answer.claimed()).isEmpty();
        assertThat(answer.expired()).isEmpty();
        assertThat(answer.waitMicros()).as("wait before the next claim").isZero();
        assertThat(answer.suspectWaitMicros()).isEqualTo(-1);
    }

    private void checkLeased() {
        List<ModelMessage> due = model.paused ? List.of() : dueUntil(answer.timeMicros());
        List<ModelMessage> suspects =
                due.stream().filter(ModelMessage::isSuspect).toList();
        boolean ahead = !model.paused && isAheadAllowed();
        List<ModelMessage> healthy = (ahead ? dueUntil(answer.timeMicros() + early()) : due)
                .stream().filter(message -> !message.isSuspect()).toList();
        int ofSuspects = step.suspect() && !suspects.isEmpty() ? 1 : 0;
        List<ModelMessage> takenSuspects = taken(suspects);
        List<ModelMessage> takenHealthy = taken(healthy);
        assertThat(takenSuspects).as("suspects claimed or expired").hasSize(ofSuspects);
        assertThat(takenHealthy)
                .as("claimed or expired, up to the limit")
                .hasSize(mostHealthy(healthy, step.limit() - ofSuspects, ahead));
        checkNoneWasPassedOver(healthy, takenHealthy, ORDER);
        checkNoneWasPassedOver(suspects, takenSuspects, Comparator.comparingLong(ModelMessage::dueMicros));
        List<ModelMessage> taken = new ArrayList<>(takenSuspects);
        taken.addAll(takenHealthy);
        answer.expired().forEach(model::expire);
        checkClaimed(taken);
        assertThat(answer.waitMicros()).as("µs until the next claim").isEqualTo(untilNextEvent());
        assertThat(answer.suspectWaitMicros())
                .as("µs until a suspect is due")
                .isEqualTo(model.paused ? -1 : untilFirst(pending(true)));
    }

    /** Messages that are not due, and prefetched ones, are claimed while none of another priority is due soon. */
    private boolean isAheadAllowed() {
        long soon = answer.timeMicros() + Math.max(early(), PREFETCH_MICROS);
        return model.in(State.PENDING).stream()
                .filter(message -> !message.isSuspect() && message.sent.priority() != DEFAULT_PRIORITY)
                .allMatch(message -> message.dueMicros() > soon);
    }

    private long early() {
        return step.ahead().isEarly() ? Times.micros(Instant.EPOCH.plus(ClaimSteps.EARLY)) : 0;
    }

    private int mostHealthy(List<ModelMessage> healthy, int slots, boolean ahead) {
        int due = (int) healthy.stream()
                .filter(message -> message.dueMicros() <= answer.timeMicros())
                .count();
        int candidates = due + Math.min(healthy.size() - due, step.ahead().early());
        return Math.min(ahead ? slots + step.ahead().prefetch() : slots, candidates);
    }

    private List<ModelMessage> dueUntil(long horizon) {
        return model.in(State.PENDING).stream()
                .filter(message -> message.dueMicros() <= horizon)
                .toList();
    }

    /** The claimed and the expired messages among those that are due. */
    private List<ModelMessage> taken(List<ModelMessage> due) {
        List<String> claimed =
                answer.claimed().stream().map(each -> each.message().id()).toList();
        List<ModelMessage> taken = new ArrayList<>();
        for (ModelMessage message : due) {
            boolean over = message.isExpiredAt(answer.timeMicros());
            if ((over ? answer.expired() : claimed).contains(message.sent.id())) {
                taken.add(message);
            }
        }
        return taken;
    }

    private static void checkNoneWasPassedOver(
            List<ModelMessage> due, List<ModelMessage> taken, Comparator<ModelMessage> order) {
        for (ModelMessage left : due) {
            if (!taken.contains(left)) {
                assertThat(taken)
                        .as("taken before %s", left.sent)
                        .allSatisfy(message ->
                                assertThat(order.compare(message, left)).isNotPositive());
            }
        }
    }

    private void checkClaimed(List<ModelMessage> taken) {
        List<ModelMessage> order = new ArrayList<>();
        for (Claimed claimed : answer.claimed()) {
            ModelMessage message = model.messages.get(claimed.message().id());
            assertThat(taken).contains(message);
            assertThat(claimed.suspect()).as("%s is a suspect", message.sent).isEqualTo(message.isSuspect());
            if (!message.isSuspect()) {
                order.add(message);
            }
            assertThat(claimed.dueMicros()).isEqualTo(message.dueMicros());
            assertThat(claimed.message().attempt()).isEqualTo(message.failedAttempts + 1);
            assertThat(claimed.message().maxAttempts()).isEqualTo(message.allowedAttempts(Session.DEFAULT_ATTEMPTS));
            assertThat(claimed.message().priority()).isEqualTo(message.sent.priority());
            assertThat(claimed.message().payload()).isEqualTo(message.sent.payload());
            assertThat(claimed.message().headers()).isEqualTo(message.sent.headers());
            message.lease(claimed.receipt());
        }
        assertThat(order).as("order of the claimed messages").isSortedAccordingTo(ORDER);
        assertThat(taken.stream().map(message -> message.sent.id())).as("due").containsAll(answer.expired());
    }

    private long untilNextEvent() {
        LongStream leases = model.in(State.LEASED).stream().mapToLong(message -> message.receipt);
        return untilFirst(LongStream.concat(leases, model.paused ? LongStream.empty() : pending(false)));
    }

    private LongStream pending(boolean suspects) {
        return model.in(State.PENDING).stream()
                .filter(message -> message.isSuspect() == suspects)
                .mapToLong(ModelMessage::dueMicros);
    }

    private long untilFirst(LongStream times) {
        return times.map(at -> Math.max(0, at - answer.timeMicros())).min().orElse(-1);
    }

    private static List<String> ids(List<ModelMessage> messages) {
        return messages.stream().map(message -> message.sent.id()).toList();
    }
}
