package io.delayqueue.internal.engine;

import io.delayqueue.DeadLetters;
import io.delayqueue.DeleteTopicOutcome;
import io.delayqueue.InFlightMessages;
import io.delayqueue.PendingMessages;
import io.delayqueue.Survey;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.engine.shared.ClientContext;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partitioning;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The work of operators on topics as a whole: looks at them, pauses, cleans up and deletes them. Thread-safe. */
final class TopicOperator {

    private final ClientContext client;
    private final CallChecks checks;
    private final MessageStore store;
    private final TopicPartitions partitions;
    private final Duration commandTimeout;
    private final RegisteredTopics registered;
    private final BlockingCall blocking;

    TopicOperator(ClientContext client, CallChecks checks, RegisteredTopics registered) {
        this.client = client;
        this.checks = checks;
        this.store = client.store();
        this.partitions = client.partitions();
        this.commandTimeout = client.options().commandTimeout();
        this.registered = registered;
        this.blocking = new BlockingCall(commandTimeout);
    }

    Map<String, TopicStats> stats(Collection<String> topics) {
        topics.forEach(checks::requireTopic);
        Set<String> distinct = new LinkedHashSet<>(topics);
        if (distinct.isEmpty()) {
            return Map.of();
        }
        // each step in turn may take as long as one command
        int steps = 1 + distinct.size() / MessageStore.LARGEST_STATS_STEP;
        return new BlockingCall(commandTimeout.multipliedBy(steps))
                .await(new StatsCall(store, partitions).of(distinct), null, null);
    }

    /** Those that fail are left out, whatever the failure: the call for all of them tells it. */
    Map<String, TopicStats> reachableStats(Collection<String> topics) {
        topics.forEach(checks::requireTopic);
        StatsCall call = new StatsCall(store, partitions);
        Map<String, CompletableFuture<Map<String, TopicStats>>> parts = new LinkedHashMap<>();
        topics.forEach(topic -> parts.computeIfAbsent(topic, asked -> call.of(Set.of(asked))));
        CompletableFuture<?> all = CompletableFuture.allOf(parts.values().toArray(CompletableFuture[]::new))
                .handle((done, failure) -> null);
        blocking.awaitParts(all, late -> parts.values().forEach(part -> part.completeExceptionally(late)));
        Map<String, TopicStats> reachable = new LinkedHashMap<>();
        parts.values().stream()
                .filter(part -> !part.isCompletedExceptionally())
                .forEach(part -> reachable.putAll(part.join()));
        return reachable;
    }

    Set<String> topics() {
        checks.requireOpen(null);
        return blocking.await(store.topics(), null, null);
    }

    /** Also in partitions that were added meanwhile. */
    void setPaused(String topic, boolean paused) {
        checks.requireTopic(topic);
        Partitioning before;
        Partitioning after = blocking.await(partitions.ask(topic), topic, null);
        do {
            before = after;
            blocking.await(
                    CompletableFuture.allOf(before.all().stream()
                            .map(partition -> store.setPaused(partition, paused))
                            .toArray(CompletableFuture[]::new)),
                    topic,
                    null);
            after = blocking.await(partitions.ask(topic), topic, null);
        } while (after.partitions() != before.partitions());
    }

    /** @param redriven told when messages became due */
    DeadLetters deadLetters(String topic, Runnable redriven) {
        checks.requireTopic(topic);
        return new TopicDeadLetters(topic, client, blocking, redriven);
    }

    PendingMessages pending(String topic) {
        checks.requireTopic(topic);
        return new TopicPending(topic, client, blocking);
    }

    InFlightMessages inFlight(String topic, int limit) {
        checks.requireTopic(topic);
        if (limit < 1 || limit > InFlightMessages.MAX_LISTED) {
            throw new IllegalArgumentException("a list of messages in flight needs a limit of 1 to "
                    + InFlightMessages.MAX_LISTED + ", not " + limit);
        }
        return blocking.await(partitions.with(topic, partitioning -> inFlight(partitioning, limit)), topic, null);
    }

    private CompletableFuture<InFlightMessages> inFlight(Partitioning partitioning, int limit) {
        List<CompletableFuture<InFlightMessages>> parts = partitioning.all().stream()
                .map(partition -> store.inFlight(partition, limit))
                .toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new))
                .thenApply(done -> InFlightParts.together(
                        parts.stream().map(CompletableFuture::join).toList(), limit));
    }

    Survey survey(String topic) {
        checks.requireTopic(topic);
        return new TopicSurvey(topic, store, partitions, blocking);
    }

    DeleteTopicOutcome delete(String topic, boolean force) {
        checks.requireTopic(topic);
        return new TopicDeletion(topic, client, blocking, registered).run(force);
    }
}
