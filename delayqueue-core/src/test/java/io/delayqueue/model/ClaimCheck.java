package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.model.ModelMessage.Place;
import io.delayqueue.model.Session.Answered;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Holds an answer to a claim against the model, and brings the model up to date. */
final class ClaimCheck {

    /** Higher priority first, then earlier due time; which of equals comes first is not promised. */
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
            checkTakenBack(overdue);
            return;
        }
        assertThat(answer.leaseExpired()).isEmpty();
        assertThat(answer.deadLettered()).isEmpty();
        if (step.purging()) {
            model.purge(ids(model.in(Place.DEAD)));
        }
        checkLeased();
    }

    private void checkTakenBack(List<ModelMessage> overdue) {
        List<String> again = new ArrayList<>();
        List<ClaimAnswer.DeadLettered> dead = new ArrayList<>();
        for (ModelMessage message : overdue) {
            String id = message.sent.id();
            if (model.leaseRanOut(message, Session.DEFAULT_ATTEMPTS, when)) {
                dead.add(new ClaimAnswer.DeadLettered(id, message.failedAttempts));
            } else {
                again.add(id);
            }
        }
        assertThat(answer.leaseExpired()).as("taken back").containsExactlyInAnyOrderElementsOf(again);
        assertThat(answer.deadLettered()).as("dead of lost leases").containsExactlyInAnyOrderElementsOf(dead);
        assertThat(answer.claimed()).isEmpty();
        assertThat(answer.expired()).isEmpty();
        assertThat(answer.waitMicros()).as("asks again at once").isZero();
    }

    private void checkLeased() {
        List<ModelMessage> due = model.paused
                ? List.of()
                : model.in(Place.PENDING).stream()
                        .filter(message -> message.dueMicros() <= answer.timeMicros())
                        .toList();
        int most = Math.min(step.limit(), due.size());
        List<ModelMessage> taken = taken(due);
        assertThat(taken).as("as many of the due as were asked for").hasSize(most);
        checkNoneWasPassedOver(due, taken);
        answer.expired().forEach(model::expire);
        checkClaimed(taken);
        assertThat(answer.waitMicros()).as("µs until the next claim").isEqualTo(untilNextEvent());
    }

    /** The messages claimed and expired, each of which had to be due, and the latter over. */
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
        assertThat(order).as("in the order to handle them").isSortedAccordingTo(ORDER);
    }

    private long untilNextEvent() {
        LongStream leases = model.in(Place.LEASED).stream().mapToLong(message -> message.receipt);
        LongStream dues = model.paused
                ? LongStream.empty()
                : model.in(Place.PENDING).stream().mapToLong(ModelMessage::dueMicros);
        return LongStream.concat(leases, dues)
                .map(at -> Math.max(0, at - answer.timeMicros()))
                .min()
                .orElse(-1);
    }

    private static List<String> ids(List<ModelMessage> messages) {
        return messages.stream().map(message -> message.sent.id()).toList();
    }
}
