package io.delayqueue.gateway.sqs.dead;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One look at the dead letters of each queue at a time. So a queue with many in flight, at which a look takes long, leaves the other
 * threads to other queues. Safe for use by several threads.
 */
final class DeadTurns {

    /** A receive that looks for dead letters. */
    interface Look {

        /** Looks. False if the queue has no dead letter that is free. */
        boolean look();

        /**
         * The queue had none: this look found that, or another one that began later than this waited.
         *
         * @param took time of the look
         */
        void nothing(Duration took);
    }

    private final DeadTimer timer;
    private final ReentrantLock lock = new ReentrantLock();

    /** Looks that wait for their turn, by the topics of those under way. Guarded by the lock. */
    private final Map<String, Deque<Look>> waiting = new HashMap<>();

    /** Turns on the threads of a timer. */
    DeadTurns(DeadTimer timer) {
        this.timer = timer;
    }

    /** Has a look made later, when it is its turn. False if the application stops. */
    boolean after(Duration pause, String topic, Look look) {
        return timer.after(pause, () -> await(topic, look));
    }

    private void await(String topic, Look look) {
        lock.lock();
        try {
            Deque<Look> others = waiting.get(topic);
            if (others != null) {
                others.add(look);
                return;
            }
            waiting.put(topic, new ArrayDeque<>());
        } finally {
            lock.unlock();
        }
        make(topic, look);
    }

    private void make(String topic, Look look) {
        int before = waitingFor(topic);
        long begun = System.nanoTime();
        List<Look> inVain = new ArrayList<>();
        try {
            if (!look.look()) {
                inVain.add(look);
            }
        } finally {
            next(topic, before, inVain);
            Duration took = Duration.ofNanos(System.nanoTime() - begun);
            inVain.forEach(each -> each.nothing(took));
        }
    }

    private int waitingFor(String topic) {
        lock.lock();
        try {
            return waiting.getOrDefault(topic, new ArrayDeque<>()).size();
        } finally {
            lock.unlock();
        }
    }

    /** Ends a turn. Another queue may come before the next look at this one. */
    private void next(String topic, int before, List<Look> inVain) {
        lock.lock();
        try {
            Deque<Look> others = waiting.getOrDefault(topic, new ArrayDeque<>());
            for (int i = 0; i < before && !inVain.isEmpty(); i++) {
                inVain.add(others.remove());
            }
            Look next = others.poll();
            if (next == null || !timer.after(Duration.ZERO, () -> make(topic, next))) {
                waiting.remove(topic);
            }
        } finally {
            lock.unlock();
        }
    }
}
