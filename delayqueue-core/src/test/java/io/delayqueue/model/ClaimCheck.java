package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.model.ModelMessage.State;
import io.delayqueue.model.Session.Answered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Compares the answer to a claim with the model, and updates the model. */
final class ClaimCheck {

    /** Higher priority first, then earlier due time; the order of equals is not promised. */
    private static final Comparator<ModelMessage> ORDER = Comparator.comparingInt(
                    (ModelMessage message) -> -message.sent.priority())
            .thenComparingLong(ModelMessage::dueMicros);

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
            assertThat(answer.retained()).isEqualTo(dead.size());
            assertThat(Session.join(session.store.purgeByRetention(session.partition, Duration.ofHours(1))))
                    .as("purged by the recorded retention")
                    .isEqualTo(model.purge(dead));
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
    }

    private void checkLeased() {
        List<ModelMessage> due = model.paused
                ? List.of()
                : model.in(State.PENDING).stream()
                        .filter(message -> message.dueMicros() <= answer.timeMicros())
                        .toList();
        int most = Math.min(step.limit(), due.size());
        List<ModelMessage> taken = taken(due);
        assertThat(taken).as("claimed or expired, up to the limit").hasSize(most);
        checkNoneWasPassedOver(due, taken);
        answer.expired().forEach(model::expire);
        checkClaimed(taken);
        assertThat(answer.waitMicros()).as("µs until the next claim").isEqualTo(untilNextEvent());
    }

    /** The claimed and the expired messages, all of which had to be due. */
    private List<ModelMessage> taken(List<ModelMessage> due) {
        Map<String, ModelMessage> dueById =
                due.stream().collect(Collectors.toMap(message -> message.sent.id(), message -> message));
        List<String> claimed =
                answer.claimed().stream().map(each -> each.message().id()).toList();
        assertThat(dueById.keySet()).as("due").containsAll(claimed).containsAll(answer.expired());
        List<ModelMessage> taken = new ArrayList<>();
        for (ModelMessage message : due) {
            boolean over = message.isExpiredAt(answer.timeMicros());
            if ((over ? answer.expired() : claimed).contains(message.sent.id())) {
                taken.add(message);
            }
        }
        return taken;
    }

    private static void checkNoneWasPassedOver(List<ModelMessage> due, List<ModelMessage> taken) {
        for (ModelMessage left : due) {
            if (!taken.contains(left)) {
                assertThat(taken)
                        .as("taken before %s", left.sent)
                        .allSatisfy(message ->
                                assertThat(ORDER.compare(message, left)).isNotPositive());
            }
        }
    }

    private void checkClaimed(List<ModelMessage> taken) {
        List<ModelMessage> order = new ArrayList<>();
        for (Claimed claimed : answer.claimed()) {
            ModelMessage message = model.messages.get(claimed.message().id());
            assertThat(taken).contains(message);
            order.add(message);
            assertThat(claimed.dueMicros()).isEqualTo(message.dueMicros());
            assertThat(claimed.message().attempt()).isEqualTo(message.failedAttempts + 1);
            assertThat(claimed.message().maxAttempts()).isEqualTo(message.allowedAttempts(Session.DEFAULT_ATTEMPTS));
            assertThat(claimed.message().priority()).isEqualTo(message.sent.priority());
            assertThat(claimed.message().payload()).isEqualTo(message.sent.payload());
            assertThat(claimed.message().headers()).isEqualTo(message.sent.headers());
            message.lease(claimed.receipt());
        }
        assertThat(order).as("order of the claimed messages").isSortedAccordingTo(ORDER);
    }

    private long untilNextEvent() {
        LongStream leases = model.in(State.LEASED).stream().mapToLong(message -> message.receipt);
        LongStream dues = model.paused
                ? LongStream.empty()
                : model.in(State.PENDING).stream().mapToLong(ModelMessage::dueMicros);
        return LongStream.concat(leases, dues)
                .map(at -> Math.max(0, at - answer.timeMicros()))
                .min()
                .orElse(-1);
    }

    private static List<String> ids(List<ModelMessage> messages) {
        return messages.stream().map(message -> message.sent.id()).toList();
    }
}
