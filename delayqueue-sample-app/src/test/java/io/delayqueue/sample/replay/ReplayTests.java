package io.delayqueue.sample.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.order.Order;
import io.delayqueue.sample.order.Order.State;
import io.delayqueue.sample.order.OrderEvent;
import io.delayqueue.sample.replay.ReplayCounters.Counts;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {"replay=generated", "delayqueue.command-timeout=20s"})
@Tag("slow")
class ReplayTests {

    @Autowired
    Replay replay;

    @Test
    void firstOrdersOfTheDayAreAllPaidOrClosed() throws Exception {
        List<ReplayOrder> orders = GeneratedDay.orders().subList(0, 500);

        ReplayReport report = replay.run(orders, 7_200);

        Counts counts = report.counts();
        assertThat(report.lost()).isZero();
        assertThat(counts.failures()).isZero();
        assertThat(counts.duplicates()).isZero();
        assertThat(counts.placed()).isEqualTo(500);
        assertThat(counts.paid() + counts.closed()).isEqualTo(500);
        assertThat(report.redis().accepted()).isEqualTo(500);
        assertThat(report.redis().acked() + report.redis().cancelled()).isEqualTo(500);
        assertThat(report.isSound()).isTrue();
        assertThat(report.lines()).anyMatch(line -> line.startsWith("lost                     0"));
    }

    @Test
    void secondReplayCountsOnlyItsOwn() throws Exception {
        List<ReplayOrder> orders = GeneratedDay.orders().subList(0, 50);
        replay.run(orders, 36_000);

        ReplayReport second = replay.run(orders, 36_000);

        assertThat(second.counts().placed()).isEqualTo(50);
        assertThat(second.redis().accepted()).isEqualTo(50);
        assertThat(second.redis().acked() + second.redis().cancelled()).isEqualTo(50);
        assertThat(second.isSound()).as(second::toString).isTrue();
    }

    @Test
    void eventsOfOrdersOfAnotherReplayAreNotCounted() {
        ReplayCounters counters = new ReplayCounters("mine-");
        counters.add(closed("other-1"));
        counters.add(closed("mine-1"));

        assertThat(counters.counts(Duration.ZERO).closed()).isEqualTo(1);
    }

    @Test
    void duplicateMakesAReplayUnsound() {
        ReplayCounters counters = new ReplayCounters("");
        Order order = order("1");
        counters.add(new OrderEvent.Placed(order));
        counters.add(closed("1"));
        RedisCounts redis = new RedisCounts(1, 1, 0, 0, 0, 0, 0);
        assertThat(new ReplayReport(1, 0, 0, counters.counts(Duration.ZERO), redis).isSound())
                .isTrue();

        counters.add(new OrderEvent.TimeoutIgnored("1", order));

        assertThat(new ReplayReport(1, 0, 0, counters.counts(Duration.ZERO), redis).isSound())
                .isFalse();
    }

    private static OrderEvent closed(String id) {
        return new OrderEvent.Closed(order(id), Duration.ZERO);
    }

    private static Order order(String id) {
        return new Order(id, "ann@example.com", BigDecimal.TEN, State.CLOSED, Instant.EPOCH, Instant.EPOCH, null);
    }
}
