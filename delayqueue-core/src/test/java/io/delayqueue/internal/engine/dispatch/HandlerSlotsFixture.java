package io.delayqueue.internal.engine.dispatch;

import static io.delayqueue.testsupport.EngineFixtures.inFlight;

import io.delayqueue.internal.engine.settle.InFlightMessage;
import io.delayqueue.testsupport.EngineFixtures;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;

/** Subscriptions with slots, workers and a timer thread; handlers that block do so until the test ends. */
abstract class HandlerSlotsFixture {

    final ScheduledExecutorService timer = EngineFixtures.timer();
    final List<Dispatcher> dispatchers = new ArrayList<>();
    final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void endHandlers() {
        end.countDown();
        dispatchers.forEach(Dispatcher::close);
        timer.shutdownNow();
    }

    HandlerSlots slots(int concurrency, RecordingOwner owner) {
        return dispatcher(null).slots(concurrency, owner);
    }

    Dispatcher dispatcher(ThreadFactory threadFactory) {
        Dispatcher dispatcher = new Dispatcher(timer, threadFactory);
        dispatchers.add(dispatcher);
        return dispatcher;
    }

    RecordingOwner blocking() {
        return new RecordingOwner((message, slot) -> awaitEnd());
    }

    static RecordingOwner quick() {
        BiConsumer<InFlightMessage, HandlerSlot> nothing = (message, slot) -> {};
        return new RecordingOwner(nothing);
    }

    static List<InFlightMessage> numbered(int count) {
        List<InFlightMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(inFlight("m" + i));
        }
        return messages;
    }

    static int freeSlots(HandlerSlots slots) {
        Reservation reservation = slots.reserve(512);
        slots.release(reservation);
        return reservation.slots();
    }

    static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }

    void awaitEnd() {
        await(end);
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
