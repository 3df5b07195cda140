package io.delayqueue.dashboard.read;

import io.delayqueue.TopicStats;
import io.delayqueue.spring.operator.Caller;
import io.delayqueue.spring.operator.DelayQueueOperator;
import io.delayqueue.spring.operator.MessageSearch;
import io.delayqueue.spring.operator.Right;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads views for callers. All viewers of this process share what was read within a second, so that the cost for Redis does not grow
 * with them. Rights are checked for each of them. A future fails with a {@link java.util.concurrent.TimeoutException} if its read is
 * late, and a method with a {@link RejectedExecutionException} if too many reads wait. Thread-safe.
 */
public final class DashboardReader implements AutoCloseable {

    /** Time between two samples of the topics' histories. */
    public static final Duration SAMPLE_INTERVAL = Duration.ofSeconds(5);

    private static final Duration SAMPLE_IDLE = Duration.ofMinutes(1);
    /** A topic on a server that is silent keeps one of them busy; others wait for no other topic's server then. */
    private static final int THREADS = 16;

    private static final int MAX_WAITING = 200;
    /** Each is small: pages have no payloads. */
    private static final int MAX_KEPT = 500;

    /** Reads for all viewers; each is shown what the own rights allow. */
    private static final Caller READER = new Caller("dashboard", Set.of(Right.VIEW, Right.PAYLOAD));

    private final DelayQueueOperator operator;
    private final Duration timeout;
    private final ThreadPoolExecutor overviewThreads = ReadThreads.of("delayqueue-dashboard-overview", 1, 10);
    private final ThreadPoolExecutor threads = ReadThreads.of("delayqueue-dashboard", THREADS, MAX_WAITING);
    /** A slow database holds up nothing but stories. */
    private final ThreadPoolExecutor storyThreads = ReadThreads.of("delayqueue-dashboard-story", 4, MAX_WAITING);

    private final SharedReads<PartRead> stories = new SharedReads<>(storyThreads, 50);
    private final SharedReads<OverviewRead> overviews = new SharedReads<>(overviewThreads, 2);
    private final SharedReads<PartRead> parts = new SharedReads<>(threads, MAX_KEPT);
    /** Each asks all topics. */
    private final Semaphore searches = new Semaphore(2);

    private final TopicsReader topics;
    private final Histories histories = new Histories();
    private final ExpiredLeases leases;
    private final Sampler sampler;

    /**
     * A reader.
     *
     * @param operator is asked
     * @param timeout time that one read may take
     */
    public DashboardReader(DelayQueueOperator operator, Duration timeout) {
        this.operator = operator;
        this.timeout = timeout;
        this.topics = new TopicsReader(operator, READER);
        this.leases = new ExpiredLeases(topic -> operator.inFlight(READER, topic, 1));
        this.sampler = new Sampler(this::sample, histories, SAMPLE_INTERVAL, SAMPLE_IDLE);
    }

    private Topics sample() {
        Topics sample = topics.read();
        leases.look(sample);
        return sample;
    }

    private record OverviewRead(
            DelayQueueOperator operator, TopicsReader topics, Histories histories, ExpiredLeases leases)
            implements SharedReads.Read {
        @Override
        public Object read() {
            Topics all = topics.read();
            List<TopicRow> rows = new ArrayList<>();
            List<Attention> attention = new ArrayList<>();
            all.stats().values().forEach(stats -> {
                TopicRow row = row(stats);
                rows.add(row);
                attention.addAll(row.attention());
            });
            attention.sort(Watch.WORST_FIRST);
            return new Overview(all.asOf(), rows, attention, all.missing());
        }

        private TopicRow row(TopicStats stats) {
            var listeners = operator.listeners(READER, stats.topic());
            HistoryPoints history = histories.points(stats.topic());
            return new TopicRow(
                    stats,
                    TopicHistory.latenessMillis(stats),
                    listeners.size(),
                    history,
                    Watch.of(stats, history, listeners, leases.of(stats.topic())));
        }

        @Override
        public Duration lifetime() {
            return TopicPart.SHARED;
        }
    }

    private record PartRead(DelayQueueOperator operator, TopicPart part) implements SharedReads.Read {
        @Override
        public Object read() {
            return part.read(operator, READER);
        }

        @Override
        public Duration lifetime() {
            return part.lifetime();
        }
    }

    /** All topics. */
    public CompletableFuture<Overview> overview(Caller caller) {
        operator.requireRight(caller, Right.VIEW);
        sampler.look();
        return inTime(overviews
                .get(new OverviewRead(operator, topics, histories, leases))
                .thenApply(Overview.class::cast));
    }

    /**
     * Parts of a topic; empty if there is no such topic. The future fails only if the topic's numbers can't be read.
     *
     * @param wanted parts of this topic
     */
    public CompletableFuture<Optional<TopicView>> topic(Caller caller, String topic, List<TopicPart> wanted) {
        operator.requireRight(caller, Right.VIEW);
        sampler.look();
        // the others only if its server answers: else each would keep a thread waiting
        return inTime(part(new TopicPart.Stats(topic))).thenCompose(found -> {
            Optional<?> stats = (Optional<?>) found;
            if (stats.isEmpty()) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            return view(caller, (TopicStats) stats.get(), wanted).thenApply(Optional::of);
        });
    }

    private CompletableFuture<TopicView> view(Caller caller, TopicStats stats, List<TopicPart> wanted) {
        Instant asOf = Instant.now();
        Map<String, CompletableFuture<Object>> reads = new LinkedHashMap<>();
        wanted.forEach(part -> reads.put(part.name(), inTime(started(part))));
        return CompletableFuture.allOf(reads.values().toArray(CompletableFuture[]::new))
                .handle((done, failure) -> {
                    Map<String, Object> values = new LinkedHashMap<>();
                    Map<String, Throwable> failed = new LinkedHashMap<>();
                    reads.forEach((name, read) -> {
                        try {
                            values.put(name, shown(caller, stats, read.join()));
                        } catch (CompletionException e) {
                            failed.put(name, e.getCause() == null ? e : e.getCause());
                        }
                    });
                    HistoryPoints history = histories.points(stats.topic());
                    TopicRow row = new TopicRow(
                            stats,
                            TopicHistory.latenessMillis(stats),
                            0,
                            history,
                            Watch.of(
                                    stats,
                                    history,
                                    operator.listeners(READER, stats.topic()),
                                    leases.of(stats.topic())));
                    return new TopicView(asOf, row, values, failed);
                });
    }

    private static Object shown(Caller caller, TopicStats stats, Object view) {
        if (view instanceof InFlightView inFlight) {
            return inFlight.withTotal(stats.inFlight());
        }
        return view instanceof ErrorTexts errors && !caller.has(Right.PAYLOAD) ? errors.withoutErrors() : view;
    }

    private CompletableFuture<Object> started(TopicPart part) {
        try {
            return part(part);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<Object> part(TopicPart part) {
        return parts.get(new PartRead(operator, part));
    }

    /** A message without its payload, and its story. The future does not fail if only the story can't be read. */
    public CompletableFuture<FoundMessage> message(Caller caller, String topic, String id, int maxHeaders) {
        operator.requireRight(caller, Right.VIEW);
        CompletableFuture<FoundMessage> story = story(caller, topic, id);
        return inTime(part(new TopicPart.Message(topic, id, maxHeaders))).thenCombine(story, (found, told) -> {
            Optional<MessageSummary> message = ((Optional<?>) found).map(MessageSummary.class::cast);
            return new FoundMessage(message, told.story(), told.storyFailure());
        });
    }

    private CompletableFuture<FoundMessage> story(Caller caller, String topic, String id) {
        if (!operator.hasStories()) {
            return CompletableFuture.completedFuture(new FoundMessage(Optional.empty(), Optional.empty(), null));
        }
        CompletableFuture<Object> read;
        try {
            read = stories.get(new PartRead(operator, new TopicPart.StoryOf(topic, id)));
        } catch (RejectedExecutionException e) {
            read = CompletableFuture.failedFuture(e);
        }
        return inTime(read).handle((found, failure) -> {
            Optional<StoryView> story = failure != null
                    ? Optional.empty()
                    : ((Optional<?>) found).map(told ->
                            (StoryView) (caller.has(Right.PAYLOAD) ? told : ((StoryView) told).withoutErrors()));
            return new FoundMessage(Optional.empty(), story, failure);
        });
    }

    /**
     * Looks for a message in all topics.
     *
     * @throws RejectedExecutionException if other searches are running
     */
    public CompletableFuture<MessageSearch> search(Caller caller, String id) {
        operator.requireRight(caller, Right.VIEW);
        if (!searches.tryAcquire()) {
            throw new RejectedExecutionException("other searches are running");
        }
        CompletableFuture<MessageSearch> search;
        try {
            search = CompletableFuture.supplyAsync(() -> operator.search(caller, id, timeout), threads);
        } catch (RejectedExecutionException e) {
            searches.release();
            throw e;
        }
        return search.whenComplete((found, failure) -> searches.release());
    }

    /** A read for one caller, which nobody shares. */
    public <T extends @Nullable Object> CompletableFuture<T> alone(Supplier<T> read) {
        return inTime(CompletableFuture.supplyAsync(read, threads));
    }

    /** Forgets earlier answers, since a topic or message was changed. */
    public void expireAll() {
        overviews.expireAll();
        parts.expireAll();
        stories.expireAll();
    }

    private <T extends @Nullable Object> CompletableFuture<T> inTime(CompletableFuture<T> read) {
        return read.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        sampler.close();
        overviewThreads.shutdown();
        threads.shutdown();
        storyThreads.shutdown();
    }
}
