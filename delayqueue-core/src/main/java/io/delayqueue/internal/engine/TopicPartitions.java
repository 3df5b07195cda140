package io.delayqueue.internal.engine;

import io.delayqueue.DelayQueueOptions;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.PartitionsChangedException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many partitions each topic has. Redis keeps the largest number that any instance ever asked for. An instance that
 * knows of fewer is told so when it asks for the first time, and does what it wanted again.
 */
final class TopicPartitions {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue");

    /** Each attempt but the last learns of a change: more of them at a time are unheard of. */
    private static final int MOST_ATTEMPTS = 5;

    private final MessageStore store;
    private final DelayQueueOptions options;
    private final Map<String, CompletableFuture<Partitioning>> known = new ConcurrentHashMap<>();

    TopicPartitions(MessageStore store, DelayQueueOptions options) {
        this.store = store;
        this.options = options;
    }

    /** Makes a call that depends on the layout; again if it turns out that the layout is another one. */
    <T> CompletableFuture<T> with(String topic, Function<Partitioning, CompletableFuture<T>> call) {
        return with(topic, call, MOST_ATTEMPTS);
    }

    private <T> CompletableFuture<T> with(
            String topic, Function<Partitioning, CompletableFuture<T>> call, int attempts) {
        Partitioning layout = known(topic);
        return again(topic, layout != null ? call.apply(layout) : of(topic).thenCompose(call), call, attempts);
    }

    /** Makes a call again if its answer is that the layout is another one. */
    <T> CompletableFuture<T> again(
            String topic, CompletableFuture<T> first, Function<Partitioning, CompletableFuture<T>> call) {
        return again(topic, first, call, MOST_ATTEMPTS);
    }

    private <T> CompletableFuture<T> again(
            String topic, CompletableFuture<T> first, Function<Partitioning, CompletableFuture<T>> call, int attempts) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        first.whenComplete((value, error) -> {
            if (error == null) {
                answer.complete(value);
            } else if (Failures.cause(error) instanceof PartitionsChangedException changed && attempts > 1) {
                learn(topic, changed.partitions())
                        .thenCompose(news -> with(topic, call, attempts - 1))
                        .whenComplete((repeated, failure) -> end(answer, repeated, failure));
            } else {
                answer.completeExceptionally(Failures.cause(error));
            }
        });
        // who does not wait any more is not worked for either
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
            answer.completeExceptionally(Failures.cause(error));
        }
    }

    /** The layout as far as it is known here without asking; null if it is not. */
    @Nullable
    Partitioning known(String topic) {
        CompletableFuture<Partitioning> layout = of(topic);
        return layout.isDone() && !layout.isCompletedExceptionally() ? layout.join() : null;
    }

    /** The layout. Asked of Redis where the options want several partitions; else one until somebody says otherwise. */
    CompletableFuture<Partitioning> of(String topic) {
        CompletableFuture<Partitioning> present = known.get(topic);
        if (present != null) {
            return present;
        }
        int wanted = options.topic(topic).partitions();
        return wanted == 1
                ? known.computeIfAbsent(topic, name -> CompletableFuture.completedFuture(Partitioning.single(name)))
                : settle(topic, null, layout -> wanted <= layout.partitions() ? done(layout) : raise(layout, wanted));
    }

    /** The layout as Redis has it now. */
    CompletableFuture<Partitioning> ask(String topic) {
        return of(topic)
                .thenCompose(believed -> store.partitions(topic)
                        .thenCompose(now -> now.partitions() == believed.partitions()
                                ? done(believed)
                                : learn(topic, now.partitions())));
    }

    /** A partition says that there are so many. If that is fewer than were known here, it forgot, and is told again. */
    CompletableFuture<Partitioning> learn(String topic, int partitions) {
        CompletableFuture<Partitioning> present = known.get(topic);
        if (present != null && !present.isDone()) {
            return present;
        }
        int before = present == null || present.isCompletedExceptionally()
                ? 0
                : present.join().partitions();
        return settle(topic, present, layout -> {
            int wanted = Math.max(
                    Math.max(options.topic(topic).partitions(), before), Math.max(partitions, layout.partitions()));
            boolean newsOnlyToUs = before > 0 && before != wanted && layout.partitions() == wanted;
            // else some partition has not been told yet, or forgot
            return newsOnlyToUs ? done(layout) : raise(layout, wanted);
        });
    }

    private CompletableFuture<Partitioning> settle(
            String topic,
            @Nullable CompletableFuture<Partitioning> before,
            Function<Partitioning, CompletableFuture<Partitioning>> decide) {
        CompletableFuture<Partitioning> asked = new CompletableFuture<>();
        CompletableFuture<Partitioning> there = known.compute(topic, (name, now) -> now == before ? asked : now);
        if (there != asked) {
            return there;
        }
        store.partitions(topic).thenCompose(decide).whenComplete((layout, error) -> {
            if (error == null) {
                tell(layout, options.topic(topic).partitions());
                asked.complete(layout);
            } else {
                if (before == null) {
                    known.remove(topic, asked);
                } else {
                    known.replace(topic, asked, before);
                }
                asked.completeExceptionally(Failures.cause(error));
            }
        });
        return asked;
    }

    private static void tell(Partitioning layout, int wanted) {
        if (wanted > 1 && wanted < layout.partitions()) {
            log.info(
                    "Topic '{}' has {} partitions, since some instance asked for that many; this one asks for {} and uses"
                            + " all of them",
                    layout.topic(),
                    layout.partitions(),
                    wanted);
        }
    }

    /** Tells all partitions, the first one last: who finds the news in another one meanwhile does the same. */
    private CompletableFuture<Partitioning> raise(Partitioning layout, int wanted) {
        Partition first = new Partition(layout.topic(), 0, wanted);
        List<CompletableFuture<Partitioning>> others = new Partitioning(layout.topic(), wanted, false, List.of())
                .all().stream()
                        .skip(1)
                        .map(partition -> store.increasePartitions(partition, layout.paused()))
                        .toList();
        return CompletableFuture.allOf(others.toArray(CompletableFuture[]::new))
                .thenCompose(done -> store.increasePartitions(first, layout.paused()))
                .thenCompose(raised -> raised.paused() == layout.paused() ? done(raised) : pauseAs(raised));
    }

    /** It was paused or resumed meanwhile. */
    private CompletableFuture<Partitioning> pauseAs(Partitioning raised) {
        return CompletableFuture.allOf(raised.all().stream()
                        .map(partition -> store.setPaused(partition, raised.paused()))
                        .toArray(CompletableFuture[]::new))
                .thenApply(done -> raised);
    }

    private static CompletableFuture<Partitioning> done(Partitioning layout) {
        return CompletableFuture.completedFuture(layout);
    }
}
