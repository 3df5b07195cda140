package io.delayqueue.sample.replay;

import io.delayqueue.sample.order.Orders;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Places and pays orders at the times of a timeline, as customers would. */
final class Customers {

    private static final Logger log = LoggerFactory.getLogger("replay");

    /** Each order belongs to one thread, so that it is never paid before it is placed. */
    private static final int THREADS = 8;

    private final Orders orders;
    private final Timeline timeline;
    private final Duration paymentTimeout;
    private final String idPrefix;
    private final ReplayCounters counters;
    private final CountDownLatch unfinished = new CountDownLatch(THREADS);

    /** @param idPrefix tells this replay's orders from those of others */
    Customers(Orders orders, Timeline timeline, Duration paymentTimeout, String idPrefix, ReplayCounters counters) {
        this.orders = orders;
        this.timeline = timeline;
        this.paymentTimeout = paymentTimeout;
        this.idPrefix = idPrefix;
        this.counters = counters;
    }

    void start(List<Timeline.Step> steps) {
        List<List<Timeline.Step>> byThread = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            byThread.add(new ArrayList<>());
        }
        for (Timeline.Step step : steps) {
            byThread.get(Math.floorMod(step.order().id().hashCode(), THREADS)).add(step);
        }
        for (List<Timeline.Step> own : byThread) {
            Thread thread = new Thread(() -> takeAll(own), "customers");
            thread.setDaemon(true);
            thread.start();
        }
    }

    boolean areFinished() {
        return unfinished.getCount() == 0;
    }

    private void takeAll(List<Timeline.Step> own) {
        try {
            for (Timeline.Step step : own) {
                counters.behind(timeline.await(step.at()));
                take(step);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            unfinished.countDown();
        }
    }

    private void take(Timeline.Step step) {
        String id = idPrefix + step.order().id();
        try {
            if (step.isPayment()) {
                orders.pay(id);
            } else {
                orders.place(id, id + "@example.com", BigDecimal.TEN, paymentTimeout);
            }
        } catch (RuntimeException e) {
            counters.failure();
            log.warn("order {} could not be {}: {}", id, step.isPayment() ? "paid" : "placed", e.toString());
        }
    }
}
