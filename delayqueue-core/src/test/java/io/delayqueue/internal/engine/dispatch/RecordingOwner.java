package io.delayqueue.internal.engine.dispatch;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** A subscription that remembers all calls, and handles messages as a test wants it. */
final class RecordingOwner implements SlotOwner {

    final List<String> handled = new CopyOnWriteArrayList<>();
    final List<String> noSlot = new CopyOnWriteArrayList<>();
    final List<Throwable> notStarted = new CopyOnWriteArrayList<>();
    final List<String> notHandled = new CopyOnWriteArrayList<>();
    final AtomicInteger ended = new AtomicInteger();
    final List<Capacity> freed = new CopyOnWriteArrayList<>();
    private final BiConsumer<InFlightMessage, HandlerSlot> handler;
    private volatile Consumer<InFlightMessage> whenReleased = message -> {};

    RecordingOwner(BiConsumer<InFlightMessage, HandlerSlot> handler) {
        this.handler = handler;
    }

    void whenReleased(Consumer<InFlightMessage> action) {
        whenReleased = action;
    }

    @Override
    public void handle(InFlightMessage message, HandlerSlot slot) {
        handled.add(message.message().id());
        handler.accept(message, slot);
    }

    @Override
    public void noSlot(InFlightMessage message) {
        noSlot.add(message.message().id());
        whenReleased.accept(message);
    }

    @Override
    public void notStarted(InFlightMessage message, Throwable reason) {
        notStarted.add(reason);
    }

    @Override
    public void notHandled(InFlightMessage message, Throwable reason) {
        notHandled.add(message.message().id());
    }

    @Override
    public void handlerEnded() {
        ended.incrementAndGet();
    }

    @Override
    public void capacityFreed(Capacity capacity) {
        freed.add(capacity);
    }
}
