package io.delayqueue.server;

import io.delayqueue.DelayQueueException;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;

/** Keeps orders coming for the demonstration, two a second, which are due 5 to 59 s later. Some fail. Prints where to look. */
final class DemoTraffic {

    static final String TOPIC = "demo-orders";

    private static final Logger log = LoggerFactory.getLogger(DemoTraffic.class);

    private final DelayQueueOperations queue;
    private final Environment environment;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread created = new Thread(work, "demo-traffic");
        created.setDaemon(true);
        return created;
    });

    DemoTraffic(DelayQueueOperations queue, Environment environment) {
        this.queue = queue;
        this.environment = environment;
    }

    @EventListener(ApplicationReadyEvent.class)
    void begin() {
        log.info(
                "The dashboard: http://127.0.0.1:{}{}",
                environment.getProperty("local.server.port"),
                environment.getProperty("delayqueue.dashboard.path"));
        log.info(
                "Meters for Prometheus: http://127.0.0.1:{}/actuator/prometheus",
                environment.getProperty("local.management.port"));
        thread.scheduleAtFixedRate(this::place, 0, 500, TimeUnit.MILLISECONDS);
    }

    private void place() {
        try {
            queue.schedule(
                    TOPIC,
                    new DemoOrder(ThreadLocalRandom.current().nextInt(1, 1_000)),
                    Duration.ofSeconds(ThreadLocalRandom.current().nextInt(5, 60)));
        } catch (DelayQueueException e) {
            log.warn("An order of the demonstration was not placed: {}", e.getMessage());
        }
    }

    @DelayQueueListener(topic = TOPIC, maxAttempts = "3")
    void handle(DemoOrder order) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(order.number());
        if (order.number() % 20 == 0) {
            throw new IllegalStateException("no customer of order " + order.number());
        }
    }

    /** Before the delay queue is closed. */
    @EventListener(ContextClosedEvent.class)
    void end() {
        thread.shutdown();
    }

    /**
     * An order.
     *
     * @param number its number
     */
    record DemoOrder(int number) {}
}
