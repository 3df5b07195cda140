package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class HandlerInvokerTests {

    private final SleepyStore store = new SleepyStore();
    private final ScheduledExecutorService timer = Fixtures.timer();
    private final List<String> handled = new ArrayList<>();
    private final List<Settlement> settled = new ArrayList<>();
    private final Handlers handlers = new Handlers("topic", 1, null, free -> {});

    @AfterEach
    void stop() {
        handlers.shutdown();
        timer.shutdownNow();
    }

    @Test
    void aMessageWhoseLeaseIsHeldIsHandledAndAcked() throws Exception {
        handle(Fixtures.inHand("held"));

        assertThat(handled).containsExactly("held");
        assertThat(settled).singleElement().isInstanceOf(Settlement.Ack.class);
    }

    @Test
    void aMessageWhoseLeaseWasOverBeforeItsHandlerBeganIsGivenBack() throws Exception {
        handle(Fixtures.inHand("stale", Duration.ofMillis(-1)));

        assertThat(handled).isEmpty();
        assertThat(settled).singleElement().isInstanceOf(Settlement.Release.class);
    }

    private void handle(InFlightMessage inHand) throws InterruptedException {
        DelayQueueOptions queue = DelayQueueOptions.defaults();
        ConsumerContext context = new ConsumerContext(
                Fixtures.TOPIC,
                (message, delivery) -> handled.add(message.id()),
                ConsumerOptions.defaults(),
                queue,
                store,
                new TopicPartitions(store, queue),
                new Observers(queue.observer()),
                timer,
                new Outage("Redis"),
                new Outage("Topic"));
        handlers.start(System.nanoTime(), place -> new HandlerInvoker(context, settled::add).handle(inHand, place));
        assertThat(handlers.awaitIdle(Duration.ofSeconds(20).toNanos())).isTrue();
    }
}
