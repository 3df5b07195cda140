package io.delayqueue.jdbc.restore;

import io.delayqueue.ClaimGate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds claims over a new connection until the partition's mark was compared, which takes milliseconds; and if Redis lost data, until what
 * ended was removed. {@link HoldLimits} bound each wait: delivery is worth more than the guarantee that nothing is delivered twice. A
 * partition waits for its own server only.
 */
public final class JournalClaimGate implements ClaimGate, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Each may wait for the database; none waits for Redis. */
    private static final int THREADS = 4;

    private static final Duration RETRY_DELAY = Duration.ofMillis(200);

    private final Map<String, TopicLooks> looks = new ConcurrentHashMap<>();
    private final Supplier<@Nullable LossWatch> watch;
    private final Supplier<@Nullable JournalRestore> restore;
    private final RestoreSettings settings;
    private final HoldLimits limits;
    private final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                Thread thread = new Thread(task, "delayqueue-claim-gate");
                thread.setDaemon(true);
                return thread;
            });

    /**
     * A gate.
     *
     * @param restore asked for with the first claim, as it needs the client; null opens the gate
     * @param watch repairs what was lost; asked for likewise
     */
    public JournalClaimGate(
            Supplier<@Nullable JournalRestore> restore, Supplier<@Nullable LossWatch> watch, RestoreSettings settings) {
        this.restore = restore;
        this.watch = watch;
        this.settings = settings;
        this.limits = new HoldLimits(settings);
        threads.prestartAllCoreThreads();
    }

    @Override
    public CompletionStage<Void> beforeClaims(String topic, int partition) {
        if (settings.mode() == RestoreMode.OFF) {
            return CompletableFuture.completedFuture(null);
        }
        HeldPartition held = new HeldPartition(topic, partition);
        TopicLooks ofTopic =
                looks.compute(topic, (name, present) -> (present == null ? new TopicLooks(name) : present).with(held));
        held.whenOpen()
                .whenComplete(
                        (nothing, error) -> looks.computeIfPresent(topic, (name, present) -> present.without(held)));
        limits.limitCheck(held);
        ofTopic.lookNow();
        return held.whenOpen();
    }

    /** Number of topics with partitions that wait. */
    int waiting() {
        return looks.size();
    }

    /** Opens the gate for good. */
    @Override
    public void close() {
        threads.shutdownNow();
        limits.close();
        looks.values().forEach(TopicLooks::openAll);
    }

    /** Looks at one topic, one after the other, each for all partitions and consumers that wait when it begins. */
    private final class TopicLooks implements Runnable {

        private final String topic;
        private final Set<HeldPartition> waiting = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean looking = new AtomicBoolean();
        private final AtomicBoolean again = new AtomicBoolean();
        private RemovalProgress removal = RemovalProgress.NONE;

        TopicLooks(String topic) {
            this.topic = topic;
        }

        TopicLooks with(HeldPartition held) {
            waiting.add(held);
            return this;
        }

        /** Null if nothing waits any more. */
        @Nullable
        TopicLooks without(HeldPartition opened) {
            waiting.remove(opened);
            return waiting.isEmpty() ? null : this;
        }

        void lookNow() {
            if (looking.compareAndSet(false, true)) {
                try {
                    threads.execute(this);
                } catch (RejectedExecutionException closed) {
                    openAll();
                }
            }
        }

        void openAll() {
            waiting.forEach(HeldPartition::open);
        }

        @Override
        public void run() {
            // those that come during the look need one of their own: their connection may be newer
            List<HeldPartition> some =
                    waiting.stream().filter(HeldPartition::beginLook).toList();
            try {
                look(some);
            } catch (Throwable e) {
                some.forEach(held -> unanswered(held, e));
            } finally {
                looking.set(false);
            }
            if (waiting.stream().anyMatch(HeldPartition::isNew)) {
                lookNow();
            }
        }

        private void look(List<HeldPartition> some) {
            if (some.isEmpty()) {
                return;
            }
            JournalRestore present = restore.get();
            if (present == null) {
                some.forEach(HeldPartition::open);
                return;
            }
            if (waiting.stream().anyMatch(HeldPartition::isLost)) {
                lookAtRemoval(present.removal(topic));
            }
            Map<Integer, CompletionStage<Boolean>> held = present.holdsClaims(
                    topic, some.stream().map(each -> each.partition).collect(Collectors.toSet()));
            some.forEach(each -> Objects.requireNonNull(held.get(each.partition))
                    .whenComplete((isHeld, error) -> answered(each, isHeld, error)));
        }

        private void lookAtRemoval(RemovalProgress told) {
            if (removal.isBefore(told)) {
                limits.progressed();
            }
            removal = removal.with(told);
        }

        /** May run on a thread of the client, so it does not block. */
        private void answered(HeldPartition held, @Nullable Boolean isHeld, @Nullable Throwable error) {
            if (isHeld == null) {
                unanswered(held, error);
            } else if (isHeld) {
                lost(held);
            } else {
                if (held.isLost()) {
                    // the removal may be too quick to be seen under way
                    limits.progressed();
                }
                held.open();
            }
        }

        private void unanswered(HeldPartition held, @Nullable Throwable error) {
            log.debug("Can't look at partition {} of topic '{}' before it is claimed", held.partition, topic, error);
            askLater(held);
        }

        private void lost(HeldPartition held) {
            LossWatch repairing = watch.get();
            if (settings.mode() == RestoreMode.AUTOMATIC && repairing != null) {
                if (held.becomesLost()) {
                    limits.limitRemoval(held);
                }
                repairing.check(topic);
                askLater(held);
            } else {
                // nobody repairs it before a person does
                held.open();
            }
        }

        private void askLater(HeldPartition held) {
            held.askAgain();
            if (again.compareAndSet(false, true)) {
                limits.later(RETRY_DELAY, () -> {
                    again.set(false);
                    lookNow();
                });
            }
        }
    }
}
