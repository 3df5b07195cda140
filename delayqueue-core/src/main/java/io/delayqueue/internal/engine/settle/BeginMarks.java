package io.delayqueue.internal.engine.settle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Tells Redis, before a handler begins, whom to blame if the process dies. It extends a lease, whose deadline then differs from that
 * of a claim. The lease of a message with a single attempt: its handler has begun, so that attempt was made. The lease of a suspect:
 * whether it begins alone, and once more before another handler begins beside it, which may be what kills the process. All other
 * messages pay one look at a counter. Thread-safe.
 */
public final class BeginMarks {

    /** Handlers wait this long at most for a suspect's mark: many healthy round trips, and no stop that is felt if its server is silent. */
    private static final long OTHERS_WAIT_MILLIS = 100;

    /** Messages above suspicion whose handlers have begun, until they are settled. */
    private final AtomicInteger others = new AtomicInteger();

    private volatile @Nullable Suspect suspect;

    /** Of one client, for all its subscriptions. */
    public BeginMarks() {}

    /**
     * The marks of one subscription.
     *
     * @param settlements extend leases
     * @param lease length of an extended lease
     * @param timeout how long a handler waits for its own mark
     */
    public Marks of(Settlements settlements, Duration lease, Duration timeout) {
        return new Marks(settlements, lease, timeout.toNanos());
    }

    /** The marks of one subscription. */
    public final class Marks {

        private final Settlements settlements;
        private final Duration lease;
        private final long timeoutNanos;

        private Marks(Settlements settlements, Duration lease, long timeoutNanos) {
            this.settlements = settlements;
            this.lease = lease;
            this.timeoutNanos = timeoutNanos;
        }

        /**
         * A handler is about to begin; waits until Redis knows what it has to. Returns false if the message must not be handled: its lease
         * is lost, or Redis did not answer.
         */
        public boolean begin(InFlightMessage message) {
            boolean single = message.message().maxAttempts() == 1;
            if (message.isSuspect()) {
                Suspect begun = new Suspect(message, this);
                // set before looking: each handler that begins from now on sees it, and those that began before are
                // counted
                suspect = begun;
                if (message.isDecided()) {
                    // it may have ended before it was set
                    end(message);
                    return false;
                }
                CompletableFuture<Boolean> marked = others.get() <= 0 ? extend(message, true) : begun.notAlone();
                begun.firstMark.complete(null);
                return await(marked);
            }
            if (message.count()) {
                others.incrementAndGet();
            }
            Suspect other = suspect;
            if (other != null) {
                // one round trip, bounded by OTHERS_WAIT_MILLIS; a failed one must not stop healthy traffic
                other.notAlone();
                await(other.waitedFor);
            }
            return !single || await(extend(message, false));
        }

        /** A message is no longer in flight. */
        public void end(InFlightMessage message) {
            Suspect present = suspect;
            if (present != null && present.message == message) {
                suspect = null;
                present.marked.complete(false);
            }
            if (message.endCount()) {
                others.decrementAndGet();
            }
        }

        private CompletableFuture<Boolean> extend(InFlightMessage message, boolean alone) {
            return settlements.extend(message, lease, alone);
        }

        private boolean await(CompletableFuture<Boolean> answer) {
            try {
                return answer.get(timeoutNanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            } catch (ExecutionException | TimeoutException e) {
                return false;
            }
        }
    }

    /** The suspect in hand. */
    private static final class Suspect {

        private final InFlightMessage message;
        private final Marks marks;
        private final AtomicBoolean marking = new AtomicBoolean();
        /** Completes when its own mark was sent: "alone" must never come after "not alone". */
        private final CompletableFuture<@Nullable Void> firstMark = new CompletableFuture<>();

        private final CompletableFuture<Boolean> marked = new CompletableFuture<>();
        /** What the other handlers wait for, all of them together no longer than one. */
        private final CompletableFuture<Boolean> waitedFor = marked.copy();

        private Suspect(InFlightMessage message, Marks marks) {
            this.message = message;
            this.marks = marks;
        }

        /** Marks it, once. The answer is there when Redis knows, or the suspect is settled. */
        private CompletableFuture<Boolean> notAlone() {
            if (marking.compareAndSet(false, true)) {
                waitedFor.completeOnTimeout(false, OTHERS_WAIT_MILLIS, TimeUnit.MILLISECONDS);
                firstMark.thenRun(this::mark);
            }
            return marked;
        }

        private void mark() {
            if (!message.isDecided()) {
                marks.extend(message, false).whenComplete((held, error) -> marked.complete(error == null && held));
            }
        }
    }
}
