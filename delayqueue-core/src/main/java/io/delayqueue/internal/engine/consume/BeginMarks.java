package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Marks leases in Redis when handlers begin, so that Redis knows whom to blame if the process dies. A mark is an extension of the
 * lease: its deadline differs from that of a claim. Thread-safe.
 *
 * <ul>
 *   <li>A message with a single attempt is marked before its handler begins: that attempt was made.
 *   <li>A suspect is marked before its handler begins: as alone, or as not alone if another handler runs.
 *   <li>Both hold their slots while they wait for their own marks, for as long as {@link MarkPatience} says.
 *   <li>A suspect that was alone is marked once more before another handler begins, which may be what kills the process. That handler
 *       waits for the mark, {@link #OTHERS_WAIT_MILLIS} at most.
 *   <li>All other messages pay one look at a counter and a field.
 * </ul>
 */
final class BeginMarks {

    /** Handlers wait this long at most for a suspect's mark: many healthy round trips, and no stop that is felt if its server is silent. */
    private static final long OTHERS_WAIT_MILLIS = 100;

    /** Handlers that run, in all subscriptions. A handler past its timeout runs on, although its message is settled. */
    private final AtomicInteger running = new AtomicInteger();

    /** The suspect that began last, until it is settled. */
    private volatile @Nullable Suspect suspect;

    /**
     * The marks of one subscription.
     *
     * @param leases extends its leases
     * @param timeout how long a handler waits for its own mark at most
     */
    Marks of(LeaseExtension leases, Duration timeout) {
        return new Marks(leases, new MarkPatience(timeout));
    }

    /** Extends leases. */
    interface LeaseExtension {

        /**
         * Extends the lease of a message. The answer is whether it was still held.
         *
         * @param alone whether the message is a suspect whose handler begins alone
         */
        CompletableFuture<Boolean> extend(InFlightMessage message, boolean alone);
    }

    /** The marks of one subscription. */
    final class Marks {

        private final LeaseExtension leases;
        private final MarkPatience patience;

        private Marks(LeaseExtension leases, MarkPatience patience) {
            this.leases = leases;
            this.patience = patience;
        }

        /**
         * A handler is about to begin; waits until Redis knows what it has to. Returns false if the message must not be handled: its lease
         * is lost, or Redis did not answer. {@link #handlerEnded} has to follow in either case.
         */
        boolean begin(InFlightMessage message) {
            running.incrementAndGet();
            if (message.isSuspect()) {
                return beginSuspect(message);
            }
            Suspect present = suspect;
            if (present != null) {
                // a failed mark must not stop healthy traffic
                present.markNotAlone();
                patience.await(present.waitedFor);
            }
            return message.message().maxAttempts() != 1 || isMarked(message, leases.extend(message, false));
        }

        private boolean beginSuspect(InFlightMessage message) {
            Suspect begun = new Suspect(message, leases);
            // set before looking: each handler that begins from now on sees it, and those that began before are counted
            suspect = begun;
            if (message.isDecided()) {
                // it may have been settled before it was set
                settled(message);
                return false;
            }
            CompletableFuture<Boolean> marked =
                    running.get() <= 1 ? leases.extend(message, true) : begun.markNotAlone();
            begun.firstMark.complete(null);
            return isMarked(message, marked);
        }

        private boolean isMarked(InFlightMessage message, CompletableFuture<Boolean> mark) {
            return patience.awaitMark(message.partition(), mark);
        }

        /** A handler that was about to begin runs no more, or never ran. */
        void handlerEnded() {
            running.decrementAndGet();
        }

        /** A message is no longer in flight, although its handler may still run. */
        void settled(InFlightMessage message) {
            Suspect present = suspect;
            if (present != null && present.message == message) {
                suspect = null;
                present.marked.complete(false);
            }
        }
    }

    /** A suspect whose handler has begun, or is about to. */
    private static final class Suspect {

        private final InFlightMessage message;
        private final LeaseExtension leases;
        private final AtomicBoolean marking = new AtomicBoolean();
        /** Completes when its own mark was sent: "alone" must never come after "not alone". */
        private final CompletableFuture<@Nullable Void> firstMark = new CompletableFuture<>();

        private final CompletableFuture<Boolean> marked = new CompletableFuture<>();
        /** For the other handlers: all of them together wait no longer than one. */
        private final CompletableFuture<Boolean> waitedFor = marked.copy();

        private Suspect(InFlightMessage message, LeaseExtension leases) {
            this.message = message;
            this.leases = leases;
        }

        /** Marks it as not alone, once. The answer is there when Redis knows, or the suspect is settled. */
        private CompletableFuture<Boolean> markNotAlone() {
            if (marking.compareAndSet(false, true)) {
                waitedFor.completeOnTimeout(false, OTHERS_WAIT_MILLIS, TimeUnit.MILLISECONDS);
                firstMark.thenRun(this::mark);
            }
            return marked;
        }

        private void mark() {
            if (!message.isDecided()) {
                leases.extend(message, false).whenComplete((held, error) -> marked.complete(error == null && held));
            }
        }
    }
}
