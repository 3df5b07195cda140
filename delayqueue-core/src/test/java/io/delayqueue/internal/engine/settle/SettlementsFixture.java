package io.delayqueue.internal.engine.settle;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.testsupport.EngineFixtures;
import io.delayqueue.testsupport.LogLines;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** Settlements of a subscription, on a store of the test. */
abstract class SettlementsFixture {

    final SleepyStore store = new SleepyStore();
    final ScheduledExecutorService timer = EngineFixtures.timer();
    final Told told = new Told();
    final Settlements settlements = EngineFixtures.settlements(store, timer, told);
    final InFlightMessage message = EngineFixtures.inFlight("a");
    final LogLines log = LogLines.ofEngine();

    @AfterEach
    void stopTimer() {
        timer.shutdownNow();
        log.close();
    }

    CompletableFuture<Boolean> settle(Settlement settlement) {
        return settlements.settle(settlement);
    }

    static Settlement settlement(String kind) {
        InFlightMessage message = EngineFixtures.inFlight(kind);
        return switch (kind) {
            case "ack" -> new Settlement.Ack(message);
            case "retry" -> new Settlement.Retry(message, Duration.ZERO, "why", null);
            default -> new Settlement.Release(message);
        };
    }

    static final class Told implements DelayQueueObserver {

        final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void acked(ReceivedMessage message) {
            events.add("acked " + message.id());
        }

        @Override
        public void retried(ReceivedMessage message, Duration delay, @Nullable Throwable error) {
            events.add("retried " + message.id() + " in " + delay);
        }

        @Override
        public void deadLettered(String topic, String id, int attempts, String error) {
            events.add("dead " + id + ": " + error);
        }

        @Override
        public void leaseLost(ReceivedMessage message) {
            events.add("lost " + message.id());
        }
    }
}
