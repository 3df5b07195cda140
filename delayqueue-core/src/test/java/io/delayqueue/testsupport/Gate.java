package io.delayqueue.testsupport;

import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/** Holds answers back until it is opened. */
public final class Gate implements Mood {

    private final Queue<Runnable> heldBack = new ConcurrentLinkedQueue<>();

    @Override
    public <T> CompletableFuture<T> answer(Supplier<T> usual) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        heldBack.add(() -> answer.complete(usual.get()));
        return answer;
    }

    public void open() {
        for (Runnable answer = heldBack.poll(); answer != null; answer = heldBack.poll()) {
            answer.run();
        }
    }
}
