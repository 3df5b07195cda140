package io.delayqueue.gateway.claim;

import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads that renew and release the messages of answers, and a bound of these. The JDK's common pool may be busy with tasks of the
 * application, and a lease that ends meanwhile counts an attempt. Two threads serve all answers of an application, since their tasks wait
 * for nothing. They end with it, and while there is nothing to do. An answer has one task at a time, so this bounds the tasks, too.
 * Safe for use by several threads.
 */
public final class AnswerThreads implements AutoCloseable {

    /** Answers with messages at once: more than the connections that a container takes by default. */
    public static final int MAX_ANSWERS = 10_000;

    private static final int THREADS = 2;
    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor threads;
    private final int maxAnswers;
    private final Semaphore permits;

    /** Takes as many answers with messages at once. */
    public AnswerThreads(int maxAnswers) {
        this(maxAnswers, Thread::new);
    }

    /** @param factory makes a thread of a task, which gets its name here */
    AnswerThreads(int maxAnswers, ThreadFactory factory) {
        this.maxAnswers = maxAnswers;
        permits = new Semaphore(maxAnswers);
        AtomicInteger number = new AtomicInteger();
        threads = new ScheduledThreadPoolExecutor(THREADS, task -> {
            Thread thread = factory.newThread(task);
            thread.setName("delayqueue-gateway-answers-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        });
        threads.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        threads.allowCoreThreadTimeOut(true);
        threads.setRemoveOnCancelPolicy(true);
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Begins an answer with messages.
     *
     * @return false if as many are on their way as may be: the messages must be released, and the client told to repeat its request
     */
    public boolean tryBegin() {
        return permits.tryAcquire();
    }

    /** An answer has ended. */
    public void end() {
        permits.release();
    }

    /**
     * Has a task that waits for nothing run after a time; never, if the application ends before. If the machine has no thread left, and
     * none of these runs, it comes late: with the next task for which there is a thread.
     *
     * @return cancels it
     */
    public Runnable after(long nanos, Runnable task) {
        FutureTask<?> cancellable = new FutureTask<>(task, null);
        try {
            Future<?> pending = threads.schedule(cancellable, nanos, TimeUnit.NANOSECONDS);
            return () -> pending.cancel(false);
        } catch (RejectedExecutionException closed) {
            // so is the client: the messages are delivered again when their lease is over
            return () -> {};
        } catch (OutOfMemoryError noThread) {
            // the task is queued before a thread for it is begun
            return () -> cancellable.cancel(false);
        }
    }

    /** Answers with messages that are on their way. */
    int inHand() {
        return maxAnswers - permits.availablePermits();
    }

    /** Tasks that wait for their time. */
    int pending() {
        return threads.getQueue().size();
    }

    /** Runs no further task. */
    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** Whether all threads have ended after {@link #close}. */
    boolean isTerminated() {
        return threads.isTerminated();
    }
}
