package io.delayqueue.internal.engine.shared;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.FutureErrors;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The number of partitions of each topic. Redis keeps the largest number that any instance ever asked for. An instance that
 * believes in fewer has its call refused with the true number, and repeats the call. Thread-safe.
 */
public final class TopicPartitions {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Each attempt but the last met a change of the number: so many changes at a time are unheard of. */
    public static final int MAX_ATTEMPTS = 5;

    /** Most topics that are remembered: names that are only asked for must not fill the memory. Forgetting costs a question. */
    private static final int MAX_REMEMBERED = 10_000;

    private final MessageStore store;
    private final DelayQueueOptions options;
    private final Map<String, CompletableFuture<Partitioning>> known = new ConcurrentHashMap<>();
    private final FormerPartitions former;

    /** Knows no topic yet. */
    public TopicPartitions(MessageStore store, DelayQueueOptions options, ScheduledExecutorService timer) {
        this.store = store;
        this.options = options;
        this.former = new FormerPartitions(store, timer, options.guardInterval().toNanos(), this::updateFormer);
    }

    /** Makes a call that depends on the number of partitions; repeats it if the number turns out to be another one. */
    public <T> CompletableFuture<T> with(String topic, Function<Partitioning, CompletableFuture<T>> call) {
        return with(topic, call, MAX_ATTEMPTS);
    }

    private <T> CompletableFuture<T> with(
            String topic, Function<Partitioning, CompletableFuture<T>> call, int attempts) {
        Partitioning partitioning = known(topic);
        if (partitioning != null) {
            forgetFormerIfEmpty(partitioning);
        }
        return repeatIfChanged(
                topic,
                partitioning != null
                        ? call.apply(partitioning)
                        // a copy, as other calls wait for the same answer
                        : Withdrawable.compose(of(topic).copy(), call),
                call,
                attempts);
    }

    /** Repeats a call if its answer is that the number of partitions is another one. */
    private <T> CompletableFuture<T> repeatIfChanged(
            String topic, CompletableFuture<T> first, Function<Partitioning, CompletableFuture<T>> call, int attempts) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        first.whenComplete((value, error) -> {
            if (error == null) {
                answer.complete(value);
            } else if (FutureErrors.unwrap(error) instanceof PartitionsChangedException changed && attempts > 1) {
                update(topic, changed.partitions())
                        .thenCompose(news -> with(topic, call, attempts - 1))
                        .whenComplete((repeated, failure) -> end(answer, repeated, failure));
            } else {
                answer.completeExceptionally(FutureErrors.unwrap(error));
            }
        });
        // a caller that gave up needs no work done any more
        answer.whenComplete((value, error) -> {
            if (error != null) {
                first.completeExceptionally(error);
            }
        });
        return answer;
    }

    private static <T> void end(CompletableFuture<T> answer, T value, Throwable error) {
        if (error == null) {
            answer.complete(value);
        } else {
            answer.completeExceptionally(FutureErrors.unwrap(error));
        }
    }

    /** The partitions as this process knows them, without asking Redis; null if it does not know them yet. */
    public @Nullable Partitioning known(String topic) {
        if (isUnasked(topic)) {
            return Partitioning.single(topic);
        }
        CompletableFuture<Partitioning> partitioning = of(topic);
        return partitioning.isDone() && !partitioning.isCompletedExceptionally() ? partitioning.join() : null;
    }

    /** The partitions: asked of Redis if the options want several; else one, until a partition says otherwise. */
    public CompletableFuture<Partitioning> of(String topic) {
        CompletableFuture<Partitioning> present = known.get(topic);
        if (present != null) {
            return present;
        }
        int wanted = options.topic(topic).partitions();
        return wanted == 1
                ? done(Partitioning.single(topic))
                : askAndDecide(
                        topic,
                        null,
                        partitioning -> wanted <= partitioning.partitions()
                                ? done(partitioning)
                                : increase(partitioning, wanted));
    }

    /** Finds out, now and then, whether former partitions can be forgotten. To be called with each call that may have to look at them. */
    public void forgetFormerIfEmpty(Partitioning partitioning) {
        if (!partitioning.former().isEmpty()) {
            former.search(partitioning);
        }
    }

    /** Takes over what Redis says of former counts; another present count is found by the next call, which is refused. */
    private void updateFormer(Partitioning now) {
        known.computeIfPresent(now.topic(), (topic, present) -> {
            boolean replaces = present.isDone()
                    && !present.isCompletedExceptionally()
                    && present.join().partitions() == now.partitions();
            if (replaces && now.former().isEmpty()) {
                former.forget(topic);
            }
            return replaces ? CompletableFuture.completedFuture(now) : present;
        });
    }

    /** Forgets a topic that was deleted; with the next call it is asked for anew. */
    public void forget(String topic) {
        former.forget(topic);
        known.remove(topic);
    }

    /** Whether one partition is assumed until one says otherwise; nothing is remembered of such a topic. */
    private boolean isUnasked(String topic) {
        return options.topic(topic).partitions() == 1 && !known.containsKey(topic);
    }

    /** Number of topics that are remembered. */
    public int remembered() {
        return known.size();
    }

    /** The partitions as Redis has them now. */
    public CompletableFuture<Partitioning> ask(String topic) {
        return of(topic)
                .thenCompose(believed -> store.partitions(topic)
                        .thenCompose(now -> now.partitions() == believed.partitions()
                                ? done(believed)
                                : update(topic, now.partitions())));
    }

    /**
     * Takes over the number that a partition told. A partition that tells fewer than this process knows has lost data, and is told
     * again.
     */
    public CompletableFuture<Partitioning> update(String topic, int partitions) {
        CompletableFuture<Partitioning> present = known.get(topic);
        if (present != null && !present.isDone()) {
            return present;
        }
        int before = isUnasked(topic)
                ? 1
                : present == null || present.isCompletedExceptionally()
                        ? 0
                        : present.join().partitions();
        return askAndDecide(topic, present, partitioning -> {
            int wanted = Math.max(
                    Math.max(options.topic(topic).partitions(), before),
                    Math.max(partitions, partitioning.partitions()));
            boolean onlyThisProcessDidNotKnow = before > 0 && before != wanted && partitioning.partitions() == wanted;
            // else some partition has not been told yet, or lost data
            return onlyThisProcessDidNotKnow ? done(partitioning) : increase(partitioning, wanted);
        });
    }

    private CompletableFuture<Partitioning> askAndDecide(
            String topic,
            @Nullable CompletableFuture<Partitioning> before,
            Function<Partitioning, CompletableFuture<Partitioning>> decide) {
        CompletableFuture<Partitioning> asked = new CompletableFuture<>();
        CompletableFuture<Partitioning> there = known.compute(topic, (name, now) -> now == before ? asked : now);
        if (there != asked) {
            return there;
        }
        if (known.size() > MAX_REMEMBERED) {
            known.values().removeIf(CompletableFuture::isDone);
        }
        store.partitions(topic).thenCompose(decide).whenComplete((partitioning, error) -> {
            if (error == null) {
                logIfMore(partitioning, options.topic(topic).partitions());
                asked.complete(partitioning);
            } else {
                if (before == null) {
                    known.remove(topic, asked);
                } else {
                    known.replace(topic, asked, before);
                }
                asked.completeExceptionally(FutureErrors.unwrap(error));
            }
        });
        return asked;
    }

    private static void logIfMore(Partitioning partitioning, int wanted) {
        if (wanted > 1 && wanted < partitioning.partitions()) {
            log.info(
                    "Topic '{}' has {} partitions, since another instance asked for that many; this one asks for {} and uses"
                            + " all of them",
                    partitioning.topic(),
                    partitioning.partitions(),
                    wanted);
        }
    }

    /** Tells all partitions, the first one last: an instance that meets the new number in another one meanwhile does the same. */
    private CompletableFuture<Partitioning> increase(Partitioning partitioning, int wanted) {
        Partition first = new Partition(partitioning.topic(), 0, wanted);
        List<CompletableFuture<Partitioning>> others = new Partitioning(partitioning.topic(), wanted, false, List.of())
                .all().stream()
                        .skip(1)
                        .map(partition -> store.increasePartitions(partition, partitioning.paused()))
                        .toList();
        return CompletableFuture.allOf(others.toArray(CompletableFuture[]::new))
                .thenCompose(done -> store.increasePartitions(first, partitioning.paused()))
                .thenCompose(increased ->
                        increased.paused() == partitioning.paused() ? done(increased) : pauseAs(increased));
    }

    /** Brings all partitions to the state of the first one: the topic was paused or resumed meanwhile. */
    private CompletableFuture<Partitioning> pauseAs(Partitioning increased) {
        return CompletableFuture.allOf(increased.all().stream()
                        .map(partition -> store.setPaused(partition, increased.paused()))
                        .toArray(CompletableFuture[]::new))
                .thenApply(done -> increased);
    }

    private static CompletableFuture<Partitioning> done(Partitioning partitioning) {
        return CompletableFuture.completedFuture(partitioning);
    }
}
