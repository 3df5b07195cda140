package io.delayqueue.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DeadLetter;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.PendingMessage;
import io.delayqueue.PendingMessages;
import io.delayqueue.TopicStats;
import io.delayqueue.model.ModelMessage.State;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Compares the state of a topic in the store with the model. */
final class Comparison {

    private Comparison() {}

    static void check(Session session) {
        pinDueTimes(session);
        checkStats(session);
        checkPendingList(session);
        checkCounts(session);
        checkDeadLetters(session);
    }

    private static void checkPendingList(Session session) {
        List<PendingMessage> listed = Session.join(
                session.store.pendingMessages().list(session.partition, PendingMessages.Position.FIRST, 512));
        assertThat(listed)
                .extracting(PendingMessage::id)
                .containsExactlyInAnyOrderElementsOf(session.model.in(State.PENDING).stream()
                        .map(message -> message.sent.id())
                        .toList());
        assertThat(listed).isSortedAccordingTo(Comparator.comparing(PendingMessage::due));
        for (PendingMessage message : listed) {
            ModelMessage expected = session.model.messages.get(message.id());
            assertThat(Times.micros(message.due())).isEqualTo(expected.dueMicros());
            assertThat(message.priority()).isEqualTo(expected.sent.priority());
            assertThat(message.attempts()).isEqualTo(expected.failedAttempts);
        }
    }

    /** Looks up every message, and notes the due times that only Redis knew. */
    static void pinDueTimes(Session session) {
        Map<String, CompletableFuture<Optional<MessageInfo>>> asked = new HashMap<>();
        Map<String, Optional<MessageInfo>> answered = new HashMap<>();
        long from = session.clock.micros();
        session.ids().forEach(id -> asked.put(id, session.store.find(session.partition, id)));
        asked.forEach((id, answer) -> answered.put(id, Session.join(answer)));
        TimeWindow now = new TimeWindow(from, session.clock.micros());
        answered.forEach((id, found) -> checkMessage(now, id, session.model.messages.get(id), found.orElse(null)));
    }

    private static void checkMessage(
            TimeWindow now, String id, @Nullable ModelMessage expected, @Nullable MessageInfo found) {
        if (expected == null || found == null) {
            assertThat(found != null).as("message %s is there", id).isEqualTo(expected != null);
            return;
        }
        switch (expected.state) {
            case PENDING -> checkPending(now, expected, found);
            case LEASED -> {
                assertThat(found.state()).as("state of %s", id).isEqualTo(MessageState.IN_FLIGHT);
                assertThat(Times.micros(found.leaseDeadline())).isEqualTo(expected.receipt);
            }
            case DEAD -> assertThat(found.state()).as("state of %s", id).isEqualTo(MessageState.DEAD);
        }
        assertThat(found.attempt())
                .as("attempts of %s", id)
                .isEqualTo(expected.failedAttempts + (expected.state == State.LEASED ? 1 : 0));
        assertThat(found.due() != null).isEqualTo(expected.state == State.PENDING);
        assertThat(found.leaseDeadline() != null).isEqualTo(expected.state == State.LEASED);
        assertThat(found.deadLetteredAt() != null).isEqualTo(expected.state == State.DEAD);
        assertThat(found.priority()).isEqualTo(expected.sent.priority());
        assertThat(found.payload()).isEqualTo(expected.sent.payload());
        assertThat(found.headers()).isEqualTo(expected.sent.headers());
    }

    private static void checkPending(TimeWindow now, ModelMessage expected, MessageInfo found) {
        String id = expected.sent.id();
        assertThat(found.state()).as("state of %s", id).isIn(MessageState.SCHEDULED, MessageState.READY);
        long due = Times.micros(found.due());
        if (!expected.isPinned()) {
            assertThat(expected.dueWindow().contains(due))
                    .as("due time %s of %s is in %s", due, id, expected.dueWindow())
                    .isTrue();
            expected.pinDue(due);
        }
        assertThat(due).as("due time of %s", id).isEqualTo(expected.dueMicros());
        if (due > now.to()) {
            assertThat(found.state()).as("state of %s", id).isEqualTo(MessageState.SCHEDULED);
        } else if (due <= now.from()) {
            assertThat(found.state()).as("state of %s", id).isEqualTo(MessageState.READY);
        }
    }

    private static void checkStats(Session session) {
        TopicModel model = session.model;
        TopicStats stats = Session.join(session.store.stats(List.of(session.partition)))
                .get(session.partition)
                .stats();
        long now = Times.micros(stats.time());
        List<Long> ready = dues(model).stream().filter(due -> due <= now).toList();
        List<Long> waiting = dues(model).stream().filter(due -> due > now).toList();
        assertThat(stats)
                .isEqualTo(new TopicStats(
                        session.topic,
                        new TopicStats.Pending(waiting.size(), ready.size(), first(ready), first(waiting)),
                        model.in(State.LEASED).size(),
                        model.in(State.DEAD).size(),
                        new TopicStats.Totals(
                                model.accepted,
                                model.acked,
                                model.cancelled,
                                model.expired,
                                model.purged,
                                model.retried,
                                model.deadLettered,
                                model.redriven,
                                0,
                                0,
                                model.postponed),
                        stats.time(),
                        model.paused));
        assertThat(stats.unaccounted()).as("unaccounted").isZero();
    }

    private static List<Long> dues(TopicModel model) {
        return model.in(State.PENDING).stream()
                .map(ModelMessage::dueMicros)
                .sorted()
                .toList();
    }

    private static @Nullable Instant first(List<Long> micros) {
        return micros.isEmpty() ? null : Times.instant(micros.get(0));
    }

    /** Counts agree on both sides of each due time. */
    private static void checkCounts(Session session) {
        List<Long> dues = dues(session.model);
        List<Long> bounds = dues.stream().distinct().toList();
        if (!bounds.isEmpty()) {
            List<Long> counts = Session.join(session.store
                    .pendingMessages()
                    .count(
                            session.partition,
                            bounds.stream().map(Times::instant).toList()));
            assertThat(counts.get(0)).isZero();
            assertThat(counts.subList(1, counts.size()))
                    .isEqualTo(bounds.stream()
                            .map(bound -> dues.stream().filter(bound::equals).count())
                            .toList());
        }
    }

    private static void checkDeadLetters(Session session) {
        List<DeadLetter> letters = Session.join(session.store.deadLetters().list(session.partition, 0, 512));
        Map<String, ModelMessage> dead = new HashMap<>();
        session.model.in(State.DEAD).forEach(message -> dead.put(message.sent.id(), message));
        Set<String> ids = dead.keySet();
        assertThat(letters).extracting(DeadLetter::id).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(letters)
                .as("latest first")
                .isSortedAccordingTo(
                        Comparator.comparing(DeadLetter::deadLetteredAt).reversed());
        for (DeadLetter letter : letters) {
            ModelMessage message = dead.get(letter.id());
            assertThat(letter.attempts()).isEqualTo(message.failedAttempts);
            assertThat(letter.error()).startsWith(message.error);
            assertThat(letter.payload()).isEqualTo(message.sent.payload());
        }
    }
}
