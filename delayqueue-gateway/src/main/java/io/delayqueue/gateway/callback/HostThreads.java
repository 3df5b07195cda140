package io.delayqueue.gateway.callback;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Threads on which calls begin, which may wait for a name server. A host has one at most, however many of its calls begin: so one whose
 * name is not answered holds up no other host. Idle threads end. Thread-safe.
 */
final class HostThreads implements AutoCloseable {

    /** Hosts at once. More wait: each thread takes memory, and messages may name any number of hosts. */
    private static final int MOST = 256;

    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor executor;
    private final ReentrantLock lock = new ReentrantLock();

    /** Tasks by their host, which is a key while a thread serves it, or is about to. Guarded by the lock. */
    private final Map<String, Deque<Runnable>> tasks = new HashMap<>();

    HostThreads() {
        executor = new ThreadPoolExecutor(
                MOST,
                MOST,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                CallbackThreads.daemons("delayqueue-callback-host-"));
        executor.allowCoreThreadTimeOut(true);
    }

    /**
     * Runs a task after the earlier ones of its host.
     *
     * @param task throws nothing
     * @throws RejectedExecutionException after the close
     */
    void execute(String host, Runnable task) {
        lock.lock();
        try {
            Deque<Runnable> others = tasks.get(host);
            if (others != null) {
                others.add(task);
                return;
            }
            executor.execute(() -> serve(host));
            Deque<Runnable> own = new ArrayDeque<>();
            own.add(task);
            tasks.put(host, own);
        } finally {
            lock.unlock();
        }
    }

    private void serve(String host) {
        for (Runnable task = next(host); task != null; task = next(host)) {
            task.run();
        }
    }

    private @Nullable Runnable next(String host) {
        lock.lock();
        try {
            Deque<Runnable> own = tasks.get(host);
            Runnable task = own == null ? null : own.poll();
            if (task == null) {
                tasks.remove(host);
            }
            return task;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        executor.shutdown();
    }
}
