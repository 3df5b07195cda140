package io.delayqueue.sample.console;

import io.delayqueue.sample.NotInReplay;
import io.delayqueue.sample.order.Orders;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.scheduling.TaskScheduler;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Keeps orders coming with {@code --demo}, one a second: most are paid, some never, and some customers' mailboxes fail. */
@Component
@EnableScheduling
@NotInReplay
@ConditionalOnProperty("demo")
class DemoTraffic {

    private final Orders orders;
    private final TaskScheduler scheduler;

    DemoTraffic(Orders orders, TaskScheduler scheduler) {
        this.orders = orders;
        this.scheduler = scheduler;
    }

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.SECONDS)
    void placeOne() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        String id = UUID.randomUUID().toString();
        String host = switch (random.nextInt(20)) {
            case 0 -> "gone.example";
            case 1, 2, 3 -> "flaky.example";
            default -> "example.com";
        };
        orders.place(
                id,
                "customer@" + host,
                BigDecimal.valueOf(random.nextInt(500, 10_000), 2),
                Duration.ofSeconds(random.nextInt(20, 120)));
        if (random.nextInt(4) > 0) {
            scheduler.schedule(() -> orders.pay(id), Instant.now().plusSeconds(random.nextInt(1, 20)));
        }
    }
}
