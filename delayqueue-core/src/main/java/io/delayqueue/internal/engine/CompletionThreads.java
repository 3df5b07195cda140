package io.delayqueue.internal.engine;

import java.util.concurrent.Executor;

/**
 * A client's threads for what users chain to its futures. Answers that a continuation may wait for have threads of their own, so that
 * they wait for no other continuation. Thread-safe.
 */
final class CompletionThreads implements Executor, AutoCloseable {

    private final GrowingThreads usual = new GrowingThreads("delayqueue-completion-");
    /** For answers of calls that continuations make. */
    private final GrowingThreads nested = new GrowingThreads("delayqueue-nested-completion-");

    @Override
    public void execute(Runnable task) {
        forCaller().execute(task);
    }

    /** The threads for the answer of a call that the current thread makes. */
    Executor forCaller() {
        return usual.includeCaller() || nested.includeCaller() ? nested : usual;
    }

    /**
     * Whether the current thread might wait forever for the answer of its call. It has the last of the threads that the answer would
     * need, so all of them might wait for each other.
     */
    boolean mightCallerWaitForever() {
        return nested.includeCaller() && nested.areAllTaken();
    }

    @Override
    public void close() {
        usual.close();
        nested.close();
    }
}
