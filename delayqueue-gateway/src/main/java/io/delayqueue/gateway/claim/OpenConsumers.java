package io.delayqueue.gateway.claim;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.PullConsumer;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The pull consumers in use, one a topic. Their number is bounded, for each caller too: one that is unused makes room for another topic,
 * and is closed anyway after some time. Safe for use by many threads.
 */
final class OpenConsumers {

    private static final long LOOK_NANOS = Duration.ofSeconds(1).toNanos();

    private final Function<String, PullConsumer> opener;
    private final long idleNanos;
    private final ClosingConsumers closing;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, OpenConsumer> byTopic = new HashMap<>();
    private final Map<String, Integer> topicsOfCallers = new HashMap<>();
    private long nextLook = System.nanoTime();

    /**
     * None yet.
     *
     * @param opener begins the consumer of a topic
     * @param idleTimeout time after which an unused one is closed
     * @param closing closes them
     */
    OpenConsumers(Function<String, PullConsumer> opener, Duration idleTimeout, ClosingConsumers closing) {
        this.opener = opener;
        this.idleNanos = idleTimeout.toNanos();
        this.closing = closing;
    }

    /** Calls under way in a topic. */
    int calls(String topic) {
        lock.lock();
        try {
            OpenConsumer open = byTopic.get(topic);
            return open == null ? 0 : open.calls;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The consumer of a topic, for a call, which {@link #end} ends.
     *
     * @param caller whose topic it is if it has to be opened
     * @param maxTopics topics in use before a topic more is refused
     * @throws TooManyTopicsException if the caller has too many topics in use
     * @throws ClientOverloadedException if all callers together have
     */
    OpenConsumer begin(String caller, String topic, int maxTopics) {
        lock.lock();
        try {
            closeIdle();
            OpenConsumer open = byTopic.get(topic);
            if (open == null) {
                makeRoom(caller, topic, maxTopics);
                open = new OpenConsumer(opener.apply(topic), caller);
                byTopic.put(topic, open);
                topicsOfCallers.merge(caller, 1, Integer::sum);
            }
            open.calls++;
            return open;
        } finally {
            lock.unlock();
        }
    }

    /** A call has ended. */
    void end(OpenConsumer open) {
        lock.lock();
        try {
            open.calls--;
            open.lastUsed = System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    /** Not with each call, since there may be thousands of others' topics. */
    private void closeIdle() {
        long now = System.nanoTime();
        if (nextLook - now > 0) {
            return;
        }
        nextLook = now + Math.min(LOOK_NANOS, idleNanos);
        byTopic.values().removeIf(open -> {
            boolean closed = open.calls == 0 && now - open.lastUsed > idleNanos && closing.tryClose(open.consumer);
            if (closed) {
                forgetTopicOf(open.opener);
            }
            return closed;
        });
    }

    private void forgetTopicOf(String caller) {
        topicsOfCallers.computeIfPresent(caller, (name, topics) -> topics > 1 ? topics - 1 : null);
    }

    private void makeRoom(String caller, String topic, int maxTopics) {
        if (!caller.equals(PullConsumers.NOBODY)
                && topicsOfCallers.getOrDefault(caller, 0) >= PullConsumers.MAX_TOPICS_OF_A_CALLER) {
            if (!closeLongestUnused(open -> open.opener.equals(caller))) {
                throw new TooManyTopicsException(caller, PullConsumers.MAX_TOPICS_OF_A_CALLER);
            }
        }
        if (byTopic.size() >= maxTopics && !closeLongestUnused(open -> true)) {
            throw new ClientOverloadedException("calls of " + maxTopics + " topics are under way", topic, null, null);
        }
    }

    private boolean closeLongestUnused(Predicate<OpenConsumer> among) {
        long now = System.nanoTime();
        Optional<Map.Entry<String, OpenConsumer>> oldest = byTopic.entrySet().stream()
                .filter(entry -> entry.getValue().calls == 0 && among.test(entry.getValue()))
                .min(Comparator.comparingLong(entry -> entry.getValue().lastUsed - now))
                .filter(entry -> closing.tryClose(entry.getValue().consumer));
        oldest.ifPresent(entry -> {
            byTopic.remove(entry.getKey());
            forgetTopicOf(entry.getValue().opener);
        });
        return oldest.isPresent();
    }

    /** Removes all, and returns them. */
    List<PullConsumer> removeAll() {
        lock.lock();
        try {
            List<PullConsumer> all =
                    byTopic.values().stream().map(OpenConsumer::consumer).toList();
            byTopic.clear();
            topicsOfCallers.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** A consumer, and the calls under way. Guarded by the lock, but for the consumer. */
    static final class OpenConsumer {

        private final PullConsumer consumer;
        /** The caller that began it: it counts among that caller's topics, even if others use it later. */
        private final String opener;

        private int calls;
        private long lastUsed = System.nanoTime();

        private OpenConsumer(PullConsumer consumer, String opener) {
            this.consumer = consumer;
            this.opener = opener;
        }

        PullConsumer consumer() {
            return consumer;
        }
    }
}
