package io.delayqueue.internal.engine;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The timer of one client: a single thread, which must never block, for all its topics. */
final class ClientTimer {

    private ClientTimer() {}

    static ScheduledExecutorService start() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "delayqueue-timer");
            thread.setDaemon(true);
            return thread;
        });
        timer.setRemoveOnCancelPolicy(true);
        // a machine that has no thread left refuses the client now, and not one of its calls later
        timer.prestartCoreThread();
        return timer;
    }
}
