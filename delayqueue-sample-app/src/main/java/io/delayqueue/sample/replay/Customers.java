package io.delayqueue.sample.replay;

import io.delayqueue.sample.order.Orders;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Place and pay orders at the times of a timeline. */
final class Customers {

    private static final Logger log = LoggerFactory.getLogger("replay");

    /** Threads; an order stays with one of them, so that it is never paid before it is placed. */
    private static final int LANES = 8;

    private final Orders orders;
    private final Timeline timeline;
    private final Duration paymentTimeout;
    private final Tally tally;
    private final CountDownLatch busy = new CountDownLatch(LANES);

    Customers(Orders orders, Timeline timeline, Duration paymentTimeout, Tally tally) {
        this.orders = orders;
        this.timeline = timeline;
        this.paymentTimeout = paymentTimeout;
        this.tally = tally;
    }

    void start(List<Timeline.Step> steps) {
        List<List<Timeline.Step>> lanes = new ArrayList<>();
        for (int i = 0; i < LANES; i++) {
            lanes.add(new ArrayList<>());
        }
        for (Timeline.Step step : steps) {
            lanes.get(Math.floorMod(step.order().id().hashCode(), LANES)).add(step);
        }
        for (List<Timeline.Step> lane : lanes) {
            Thread thread = new Thread(() -> walk(lane), "customers");
            thread.setDaemon(true);
            thread.start();
        }
    }

    boolean areGone() {
        return busy.getCount() == 0;
    }

    private void walk(List<Timeline.Step> lane) {
        try {
            for (Timeline.Step step : lane) {
                tally.behind(timeline.await(step.at()));
                take(step);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            busy.countDown();
        }
    }

    private void take(Timeline.Step step) {
        String id = step.order().id();
        try {
            if (step.isPayment()) {
                orders.pay(id);
            } else {
                orders.place(id, id + "@example.com", BigDecimal.TEN, paymentTimeout);
            }
        } catch (RuntimeException e) {
            tally.failure();
            log.warn("order {} could not be {}: {}", id, step.isPayment() ? "paid" : "placed", e.toString());
        }
    }
}
