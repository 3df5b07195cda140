package io.delayqueue.benchmarks.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.benchmarks.worker.Line;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LatenessTests {

    private static final long BEGIN = 1_000_000_000;
    private static final long DELAY = 1_000_000;

    /** Two messages, due a second after their calls, which take 300 µs each. */
    private static final SteadyRate RATE = SteadyRate.of(1_000, 50, 0, 2);

    @Test
    void isCountedSinceTheBeginOfTheCallAndSinceItsReturn() {
        Lateness lateness = of(List.of(handled(BEGIN + DELAY + 500, BEGIN + DELAY + 2_000)));

        assertThat(lateness.sinceCall()).containsExactly(500, 1_000);
        assertThat(lateness.sinceReturn()).containsExactly(200, 700);
        assertThat(lateness.early()).isZero();
        assertThat(lateness.figures()).containsEntry("lateSinceCallMax", 1.0).doesNotContainKey("lateSinceCallP99");
    }

    @Test
    void theFirstOfSeveralProcessesCounts() {
        Lateness lateness =
                of(List.of(handled(0, BEGIN + DELAY + 9_000), handled(BEGIN + DELAY + 100, BEGIN + DELAY + 1_100)));

        assertThat(lateness.sinceCall()).containsExactly(100, 100);
        assertThat(lateness.missing()).isZero();
    }

    @Test
    void aMessageBeforeItsDueTimeIsEarly() {
        assertThat(of(List.of(handled(BEGIN + DELAY - 1, BEGIN + DELAY + 1_000)))
                        .early())
                .isEqualTo(1);
    }

    @Test
    void aMissingMessageIsAsLateAsTheEnd() {
        Lateness lateness = of(List.of(handled(0, BEGIN + DELAY + 1_000)));

        assertThat(lateness.missing()).isEqualTo(1);
        assertThat(lateness.sinceCall()[0]).isEqualTo(8 * DELAY);
    }

    @Test
    void aSampleOfAHundredHasA99thPercentile() {
        SteadyRate rate = SteadyRate.of(1_000, 0, 0, 100);
        long[] called = LongStream.range(0, 100).map(n -> BEGIN + 1_000 * n).toArray();
        long[] entered = LongStream.range(0, 100)
                .map(n -> BEGIN + 1_000 * n + DELAY + 1_000 * (n + 1))
                .toArray();

        assertThat(Lateness.of(rate, calls(called, called), List.of(times(0, entered)))
                        .figures())
                .containsEntry("lateSinceCallP50", 50.0)
                .containsEntry("lateSinceCallP99", 99.0)
                .containsEntry("lateSinceCallMax", 100.0)
                .doesNotContainKey("lateSinceCallP999");
    }

    private static Lateness of(List<Line> handled) {
        long[] called = {BEGIN, BEGIN + 1_000};
        long[] returned = {BEGIN + 300, BEGIN + 1_300};
        return Lateness.of(RATE, calls(called, returned), handled);
    }

    private static Line calls(long[] called, long[] returned) {
        return Line.of("ok", "start", BEGIN, "called", encoded(called), "returned", encoded(returned));
    }

    /** A process that expects the numbers from 49 on. */
    private static Line handled(long first, long second) {
        return times(49, new long[] {0, first, second});
    }

    private static Line times(int first, long[] entered) {
        return Line.of(
                "ok",
                "now",
                BEGIN + 9 * DELAY,
                "first",
                first,
                "entered",
                encoded(entered),
                "due",
                encoded(new long[entered.length]));
    }

    private static String encoded(long[] times) {
        ByteBuffer buffer = ByteBuffer.allocate(times.length * Long.BYTES);
        buffer.asLongBuffer().put(times);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(buffer.array());
    }
}
