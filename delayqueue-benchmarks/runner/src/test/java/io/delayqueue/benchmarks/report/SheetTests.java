package io.delayqueue.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.Sample;
import io.delayqueue.benchmarks.report.Sheet.Place;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SheetTests {

    private final Sheet sheet = new Sheet(List.of(
            sample("ours", 1, 10),
            sample("theirs", 1, 5),
            sample("theirs", 2, 20),
            sample("ours", 2, 60),
            sample("ours", 3, 1)));

    @Test
    void ratiosAreOfTheSameRound() {
        assertThat(sheet.ratio(place("ours"), place("theirs"), "rate")).contains(new Stat(2.5, 2, 3));
    }

    @Test
    void whatWasNotMeasuredIsNotThere() {
        assertThat(sheet.stat("drain", "others", "64", "rate")).isEmpty();
        assertThat(sheet.stat("drain", "ours", "64", "cost")).isEmpty();
        assertThat(sheet.ratio(place("ours"), place("others"), "rate")).isEmpty();
    }

    private static Place place(String peer) {
        return new Place("drain", peer, "64");
    }

    private static Sample sample(String peer, int round, double rate) {
        return new Sample("drain", peer, "64", round, Map.of("rate", rate));
    }
}
