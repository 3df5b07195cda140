package io.delayqueue.jdbc.restore;

import io.delayqueue.ClaimGate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds claims over a new connection until the partition's mark was compared, which takes milliseconds; and if Redis lost data, until what
 * ended was removed. Each wait has a bound: delivery is worth more than the guarantee that nothing is delivered twice.
 */
public final class JournalClaimGate implements ClaimGate, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger("io.delayqueue.jdbc");

    /** Each may wait for a server that is silent, or for the database. */
    private static final int THREADS = 4;

    private static final long LOOK_AGAIN_MILLIS = 200;

    private final Map<String, TopicLooks> looks = new ConcurrentHashMap<>();

    private final Supplier<@Nullable LossWatch> watch;
    private final Supplier<@Nullable JournalRestore> restore;
    private final RestoreSettings settings;
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
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
    }

    @Override
    public CompletionStage<Void> beforeClaims(String topic, int partition) {
        if (settings.mode() == RestoreMode.OFF) {
            return CompletableFuture.completedFuture(null);
        }
        HeldPartition held = new HeldPartition(topic, partition);
        looks.computeIfAbsent(topic, TopicLooks::new).add(held);
        later(settings.checkTimeout()).execute(held::openUnlessLost);
        later(settings.holdTimeout()).execute(held::openAnyway);
        return held.open;
    }

    private static Executor later(Duration delay) {
        return CompletableFuture.delayedExecutor(delay.toMillis(), TimeUnit.MILLISECONDS, Runnable::run);
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** Looks at one topic, one after the other, each for all partitions and consumers that waited when it began. */
    private final class TopicLooks implements Runnable {

        private final String topic;
        private final Queue<HeldPartition> waiting = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean looking = new AtomicBoolean();

        TopicLooks(String topic) {
            this.topic = topic;
        }

        void add(HeldPartition held) {
            waiting.add(held);
            lookIfNeeded(0);
        }

        private void lookIfNeeded(long afterMillis) {
            if (!waiting.isEmpty() && looking.compareAndSet(false, true)) {
                later(Duration.ofMillis(afterMillis)).execute(this::submit);
            }
        }

        private void submit() {
            try {
                threads.execute(this);
            } catch (RejectedExecutionException closed) {
                waiting.forEach(held -> held.open.complete(null));
            }
        }

        @Override
        public void run() {
            // those that come during the look need one of their own: their connection may be newer
            List<HeldPartition> some = List.copyOf(waiting);
            try {
                look(some);
            } catch (RuntimeException e) {
                log.debug("Can't look at topic '{}' before it is claimed", topic, e);
            }
            waiting.removeIf(held -> held.open.isDone());
            looking.set(false);
            lookIfNeeded(waiting.stream().allMatch(some::contains) ? LOOK_AGAIN_MILLIS : 0);
        }

        private void look(List<HeldPartition> some) {
            JournalRestore present = restore.get();
            Set<Integer> held = present == null ? Set.of() : present.heldPartitions(topic);
            for (HeldPartition each : some) {
                if (held.contains(each.partition)) {
                    each.lost();
                } else {
                    each.open.complete(null);
                }
            }
        }
    }

    /** The claims of a partition. */
    private final class HeldPartition {

        private final String topic;
        private final int partition;
        private final CompletableFuture<Void> open = new CompletableFuture<>();
        private volatile boolean lost;

        HeldPartition(String topic, int partition) {
            this.topic = topic;
            this.partition = partition;
        }

        void lost() {
            LossWatch repairing = watch.get();
            if (settings.mode() == RestoreMode.AUTOMATIC && repairing != null) {
                lost = true;
                repairing.check(topic);
            } else {
                // nobody repairs it before a person does
                open.complete(null);
            }
        }

        void openUnlessLost() {
            if (!lost && open.complete(null)) {
                log.warn(
                        "Partition {} of topic '{}' is claimed without a look whether Redis lost data: no answer within {}",
                        partition,
                        topic,
                        settings.checkTimeout());
            }
        }

        void openAnyway() {
            if (open.complete(null)) {
                log.warn(
                        "Partition {} of topic '{}' is claimed although Redis lost data and its restore is not done after {}:"
                                + " messages that ended may be delivered again",
                        partition,
                        topic,
                        settings.holdTimeout());
            }
        }
    }
}
