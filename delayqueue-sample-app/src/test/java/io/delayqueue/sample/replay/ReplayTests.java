package io.delayqueue.sample.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.sample.replay.ReplayCounters.Counts;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

@SpringBootTest(webEnvironment = WebEnvironment.NONE, properties = "replay=generated")
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
        assertThat(report.stats().totals().accepted()).isEqualTo(500);
        assertThat(report.stats().totals().acked() + report.stats().totals().cancelled())
                .isEqualTo(500);
        assertThat(report.isSound()).isTrue();
        assertThat(report.lines()).anyMatch(line -> line.startsWith("lost                     0"));
    }
}
