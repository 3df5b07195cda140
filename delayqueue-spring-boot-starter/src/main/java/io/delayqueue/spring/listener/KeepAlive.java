package io.delayqueue.spring.listener;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the JVM running while at least one listener runs: with a thread that is no daemon and waits for the last one to stop.
 * All other threads of the delay queue are daemons, so a process without a web server would end right after its start.
 */
final class KeepAlive {

    private static final String THREAD_NAME = "delayqueue-keep-alive";

    private final ReentrantLock lock = new ReentrantLock();
    private int running;
    private @Nullable CountDownLatch lastStopped;

    /** Notes that a listener was started. */
    void started() {
        lock.lock();
        try {
            if (running++ == 0) {
                CountDownLatch latch = new CountDownLatch(1);
                Thread thread = new Thread(() -> awaitUninterruptibly(latch), THREAD_NAME);
                thread.setDaemon(false);
                thread.start();
                lastStopped = latch;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a started listener was stopped. */
    void stopped() {
        lock.lock();
        try {
            if (--running == 0 && lastStopped != null) {
                lastStopped.countDown();
                lastStopped = null;
            }
        } finally {
            lock.unlock();
        }
    }

    /** An interrupt that is not ours, such as of the whole thread group, must not end the process. */
    private static void awaitUninterruptibly(CountDownLatch latch) {
        while (true) {
            try {
                latch.await();
                return;
            } catch (InterruptedException e) {
                // goes on waiting
            }
        }
    }
}
