package io.delayqueue.testsupport;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/** How a {@link SleepyStore} answers calls. */
public interface Mood {

    Mood AWAKE = new Mood() {
        @Override
        public <T> CompletableFuture<T> answer(Supplier<T> usual) {
            return CompletableFuture.completedFuture(usual.get());
        }
    };

    /** Never. */
    Mood SILENT = new Mood() {
        @Override
        public <T> CompletableFuture<T> answer(Supplier<T> usual) {
            return new CompletableFuture<>();
        }
    };

    /** The first call as usual, no later one. */
    static Mood silentAfterOne() {
        AtomicBoolean answered = new AtomicBoolean();
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return answered.getAndSet(true)
                        ? new CompletableFuture<>()
                        : CompletableFuture.completedFuture(usual.get());
            }
        };
    }

    static Mood failing(Throwable error) {
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                return CompletableFuture.failedFuture(error);
            }
        };
    }

    /** Against the port's contract, and yet. */
    static Mood throwing(RuntimeException error) {
        return new Mood() {
            @Override
            public <T> CompletableFuture<T> answer(Supplier<T> usual) {
                throw error;
            }
        };
    }

    <T> CompletableFuture<T> answer(Supplier<T> usual);
}
