package io.delayqueue.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.Sample;
import io.delayqueue.benchmarks.report.SampleTable.Column;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SampleTableTests {

    private final SampleTable table = new SampleTable(List.of(
            sample("ours", 1, 10),
            sample("theirs", 1, 5),
            sample("theirs", 2, 20),
            sample("ours", 2, 60),
            sample("ours", 3, 1)));

    @Test
    void ratiosAreOfTheSameRound() {
        assertThat(table.ratio(column("ours"), column("theirs"), "rate")).contains(new Stat(2.5, 2, 3));
    }

    @Test
    void missingMeasurementsAreEmpty() {
        assertThat(table.stat("drain", "others", "64", "rate")).isEmpty();
        assertThat(table.stat("drain", "ours", "64", "cost")).isEmpty();
        assertThat(table.ratio(column("ours"), column("others"), "rate")).isEmpty();
    }

    private static Column column(String peer) {
        return new Column("drain", peer, "64");
    }

    private static Sample sample(String peer, int round, double rate) {
        return new Sample("drain", peer, "64", round, Map.of("rate", rate));
    }
}
