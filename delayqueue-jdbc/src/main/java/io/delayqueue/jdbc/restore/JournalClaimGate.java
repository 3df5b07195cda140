package io.delayqueue.jdbc.restore;

import io.delayqueue.ClaimGate;
import io.delayqueue.jdbc.support.Throttle;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
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
 * ended was removed. Each wait has a bound: delivery is worth more than the guarantee that nothing is delivered twice. A partition waits
 * for its own server only.
 */
public final class JournalClaimGate implements ClaimGate, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Each may wait for the database; none waits for Redis. */
    private static final int THREADS = 4;

    private static final Duration RETRY_DELAY = Duration.ofMillis(200);

    /** A silent server opens the gate for all its partitions at once. */
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    private final Map<String, TopicLooks> looks = new ConcurrentHashMap<>();
    private final Throttle unchecked = new Throttle(LOG_INTERVAL, System::nanoTime);
    private final Throttle unrepaired = new Throttle(LOG_INTERVAL, System::nanoTime);

    private final Supplier<@Nullable LossWatch> watch;
    private final Supplier<@Nullable JournalRestore> restore;
    private final RestoreSettings settings;
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> daemon(task, "delayqueue-claim-gate"));
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, task -> daemon(task, "delayqueue-claim-gate-timer"));

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
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        // a machine that has no thread left refuses the gate, and not one of its looks later
        timer.prestartCoreThread();
        threads.prestartAllCoreThreads();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public CompletionStage<Void> beforeClaims(String topic, int partition) {
        if (settings.mode() == RestoreMode.OFF) {
            return CompletableFuture.completedFuture(null);
        }
        HeldPartition held = new HeldPartition(topic, partition);
        TopicLooks ofTopic =
                looks.compute(topic, (name, present) -> (present == null ? new TopicLooks(name) : present).with(held));
        held.limitWait();
        ofTopic.lookNow();
        return held.open;
    }

    private Future<?> later(Duration delay, Runnable task) {
        return timer.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static String others(long more) {
        return more == 0 ? "" : " (and " + more + " others since the last such line)";
    }

    /** Number of topics with partitions that wait. */
    int waiting() {
        return looks.size();
    }

    /** Opens the gate for good. */
    @Override
    public void close() {
        threads.shutdownNow();
        timer.shutdownNow();
        looks.values().forEach(TopicLooks::openAll);
    }

    /** Looks at one topic, one after the other, each for all partitions and consumers that wait when it begins. */
    private final class TopicLooks implements Runnable {

        private final String topic;
        private final Set<HeldPartition> waiting = ConcurrentHashMap.newKeySet();
        private final AtomicBoolean looking = new AtomicBoolean();
        private final AtomicBoolean again = new AtomicBoolean();

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

        void lookLater() {
            if (again.compareAndSet(false, true)) {
                later(RETRY_DELAY, () -> {
                    again.set(false);
                    lookNow();
                });
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
                some.forEach(held -> held.unanswered(e));
            } finally {
                looking.set(false);
            }
            if (waiting.stream().anyMatch(HeldPartition::isNew)) {
                lookNow();
            }
        }

        private void look(List<HeldPartition> some) {
            JournalRestore present = restore.get();
            if (present == null) {
                some.forEach(HeldPartition::open);
                return;
            }
            Map<Integer, CompletionStage<Boolean>> held = present.holdsClaims(
                    topic, some.stream().map(each -> each.partition).collect(Collectors.toSet()));
            some.forEach(
                    each -> Objects.requireNonNull(held.get(each.partition)).whenComplete(each::answered));
        }
    }

    /** The claims of a partition, of one consumer. */
    private final class HeldPartition {

        private final String topic;
        private final int partition;
        private final CompletableFuture<Void> open = new CompletableFuture<>();
        private volatile State state = State.NEW;
        private volatile boolean lost;

        HeldPartition(String topic, int partition) {
            this.topic = topic;
            this.partition = partition;
        }

        void limitWait() {
            Future<?> unlessLost = later(settings.checkTimeout(), this::openUnlessLost);
            Future<?> anyway = later(settings.holdTimeout(), this::openAnyway);
            open.whenComplete((nothing, error) -> {
                unlessLost.cancel(false);
                anyway.cancel(false);
                looks.computeIfPresent(topic, (name, present) -> present.without(this));
            });
        }

        boolean isNew() {
            return state == State.NEW;
        }

        /** Whether no server is being asked for it already. */
        boolean beginLook() {
            boolean begins = state != State.ASKED;
            state = State.ASKED;
            return begins;
        }

        /** May run on a thread of the client, so it does not block. */
        void answered(@Nullable Boolean held, @Nullable Throwable error) {
            if (held == null) {
                unanswered(error);
            } else if (held) {
                lost();
            } else {
                open();
            }
        }

        void unanswered(@Nullable Throwable error) {
            log.debug("Can't look at partition {} of topic '{}' before it is claimed", partition, topic, error);
            askLater();
        }

        private void lost() {
            LossWatch repairing = watch.get();
            if (settings.mode() == RestoreMode.AUTOMATIC && repairing != null) {
                lost = true;
                repairing.check(topic);
                askLater();
            } else {
                // nobody repairs it before a person does
                open();
            }
        }

        private void askLater() {
            state = State.TO_ASK_AGAIN;
            TopicLooks ofTopic = looks.get(topic);
            if (ofTopic != null) {
                ofTopic.lookLater();
            }
        }

        void open() {
            open.complete(null);
        }

        private void openUnlessLost() {
            if (lost || !open.complete(null)) {
                return;
            }
            long more = unchecked.pass();
            if (more >= 0) {
                log.warn(
                        "Partition {} of topic '{}' is claimed without a check whether Redis lost data: no answer within {}{}",
                        partition,
                        topic,
                        settings.checkTimeout(),
                        others(more));
            }
        }

        private void openAnyway() {
            if (!open.complete(null)) {
                return;
            }
            long more = unrepaired.pass();
            if (more >= 0) {
                log.warn(
                        "Partition {} of topic '{}' is claimed although Redis lost data and its restore is not done after {}:"
                                + " messages that ended may be delivered again{}",
                        partition,
                        topic,
                        settings.holdTimeout(),
                        others(more));
            }
        }
    }

    private enum State {
        NEW,
        ASKED,
        TO_ASK_AGAIN
    }
}
