package io.delayqueue.sample.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.replay.Tally.Counts;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "replay=orders.csv")
class ReplayTests {

    @Autowired
    Replay replay;

    @Test
    void firstOrdersOfTheFileAreAllPaidOrClosed() throws Exception {
        List<RecordedOrder> orders = firstOrders();

        ReplayReport report = replay.run(orders, 7_200);

        Counts counts = report.counts();
        assertThat(report.lost()).isZero();
        assertThat(counts.failures()).isZero();
        assertThat(counts.duplicates()).isZero();
        assertThat(counts.placed()).isEqualTo(500);
        assertThat(counts.paid() + counts.closed()).isEqualTo(500);
        assertThat(report.stats().totals().accepted()).isEqualTo(500);
        assertThat(report.stats().totals().acked() + report.stats().totals().cancelled())
                .isEqualTo(500);
        assertThat(report.isSound()).isTrue();
        assertThat(report.lines()).anyMatch(line -> line.startsWith("lost                     0"));
    }

    private static List<RecordedOrder> firstOrders() throws IOException {
        return OrderFile.read("orders.csv").subList(0, 500);
    }
}
