package io.delayqueue.jdbc.audit;

import io.delayqueue.ReceivedMessage;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Attempts under way in this process: one for each handler that runs, or whose outcome Redis has not confirmed. One of a message that was
 * pulled is forgotten once it was recorded as in flight: another process may end it. Thread-safe.
 */
final class InFlightAttempts {

    /** An outcome that Redis has not confirmed by then, it never will: the lease is over. */
    private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Map<Key, Attempt> attempts = new ConcurrentHashMap<>();

    private record Key(String topic, String id, String generation, int attempt) {}

    /**
     * An attempt.
     *
     * @param beganNanos when its handler was called
     * @param endedNanos when its handler ended; null while it runs
     * @param pulled whether no handler was called, but a receiver has the message, perhaps in another process
     * @param reported whether it was recorded as in flight
     */
    record Attempt(long beganNanos, @Nullable Long endedNanos, boolean pulled, boolean reported) {

        Attempt ended(long nanos) {
            return new Attempt(beganNanos, nanos, pulled, reported);
        }

        Attempt asReported() {
            return new Attempt(beganNanos, endedNanos, pulled, true);
        }
    }

    /** An attempt that takes long. */
    record LongAttempt(String topic, String id, String generation, int attempt, long beganNanos) {}

    void began(ReceivedMessage message, long nanos) {
        attempts.put(key(message), new Attempt(nanos, null, false, false));
    }

    void pulled(ReceivedMessage message, long nanos) {
        attempts.put(key(message), new Attempt(nanos, null, true, false));
    }

    void handlerEnded(ReceivedMessage message, long nanos) {
        attempts.computeIfPresent(key(message), (key, attempt) -> attempt.ended(nanos));
    }

    /** The attempt, which is forgotten; null if it is not known. */
    @Nullable
    Attempt settled(ReceivedMessage message) {
        return attempts.remove(key(message));
    }

    /** The attempt, which is forgotten; null if it is not known. */
    @Nullable
    Attempt settled(String topic, String id, String generation, int attempt) {
        return attempts.remove(new Key(topic, id, generation, attempt));
    }

    /** Attempts that have been under way for this long, each once. */
    List<LongAttempt> longerThan(long nanos) {
        List<LongAttempt> found = new ArrayList<>();
        long now = System.nanoTime();
        for (Iterator<Map.Entry<Key, Attempt>> each = attempts.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Key, Attempt> entry = each.next();
            Key key = entry.getKey();
            Attempt attempt = entry.getValue();
            Long ended = attempt.endedNanos();
            if (ended != null && now - ended > FORGOTTEN_NANOS) {
                each.remove();
            } else if (!attempt.reported()
                    && ended == null
                    && now - attempt.beganNanos() >= nanos
                    && reported(key, attempt)) {
                found.add(
                        new LongAttempt(key.topic(), key.id(), key.generation(), key.attempt(), attempt.beganNanos()));
            }
        }
        return found;
    }

    int size() {
        return attempts.size();
    }

    private boolean reported(Key key, Attempt attempt) {
        return attempt.pulled() ? attempts.remove(key, attempt) : attempts.replace(key, attempt, attempt.asReported());
    }

    private static Key key(ReceivedMessage message) {
        return new Key(message.topic(), message.id(), message.generation(), message.attempt());
    }
}
