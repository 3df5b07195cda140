package io.delayqueue.internal.engine.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The server's clock shows 0 µs when the process' clock shows 0 ns, unless a test says otherwise. */
class ServerClockTests {

    private final ServerClock clock = new ServerClock();

    @Test
    void countsFromWhenTheAnswerWasHere() {
        answered(1_000, 950, 1_400);

        assertThat(clock.nanosOf(1_000)).isEqualTo(nanos(1_400));
        assertThat(clock.nanosOf(900)).isEqualTo(nanos(1_300));
    }

    @Test
    void allowsForAClockThatIsFaster() {
        answered(1_000, 950, 1_400);

        assertThat(clock.nanosOf(11_000)).isEqualTo(nanos(11_410));
    }

    @Test
    void keepsTheAnswerThatCameQuickest() {
        answered(1_000, 950, 1_050);
        answered(2_000, 1_950, 2_700);

        assertThat(clock.nanosOf(3_000)).isEqualTo(nanos(3_052));
    }

    @Test
    void takesTheNewAnswerOnceTheFormerIsTooOld() {
        answered(1_000, 950, 1_050);
        answered(701_000, 700_950, 701_700);

        assertThat(clock.nanosOf(701_000)).isEqualTo(nanos(701_700));
    }

    @Test
    void takesAQuickerAnswerAtOnce() {
        answered(1_000, 950, 1_900);
        answered(2_000, 1_950, 2_030);

        assertThat(clock.nanosOf(2_000)).isEqualTo(nanos(2_030));
    }

    /** By the former answer it would have been that late in the store before the question was asked. */
    @Test
    void forgetsTheFormerAnswerIfTheStoresClockWasSetBack() {
        answered(1_000, 950, 1_050);
        answered(2_000, 2_950, 3_700);

        assertThat(clock.nanosOf(2_000)).isEqualTo(nanos(3_700));
    }

    @Test
    void forgetsTheFormerAnswerIfTheStoresClockWasSetForward() {
        answered(1_000, 950, 1_050);
        answered(9_000, 1_950, 2_700);

        assertThat(clock.nanosOf(9_000)).isEqualTo(nanos(2_700));
    }

    /** The store's clock could have been set back meanwhile by as much. */
    @Test
    void doesNotTrustTheFormerAnswerForLongerThanAMoment() {
        answered(1_000, 950, 1_050);
        answered(2_000, 1_950, 12_000);
        assertThat(clock.nanosOf(2_000)).as("10 ms").isEqualTo(nanos(2_051));

        answered(3_000, 2_950, 13_100);
        assertThat(clock.nanosOf(3_000)).as("more").isEqualTo(nanos(13_100));
    }

    private void answered(long micros, long sentMicros, long answeredMicros) {
        clock.update(micros, nanos(sentMicros), nanos(answeredMicros));
    }

    private static long nanos(long micros) {
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }

    @Test
    void tellsWhatTheServersClockShowsAtLeast() {
        assertThat(clock.microsAt(nanos(1_400))).as("before the first answer").isZero();
        answered(1_000, 950, 1_400);

        assertThat(clock.microsAt(nanos(1_400))).isEqualTo(1_000);
        assertThat(clock.microsAt(nanos(11_400))).as("a clock that is slower").isEqualTo(10_990);
        assertThat(clock.microsAt(nanos(400))).isZero();
    }

    @Test
    void waitsAreCutBeforeTheyOverflow() {
        assertThat(ServerClock.nanos(Long.MAX_VALUE)).isEqualTo(TimeUnit.DAYS.toNanos(365));
        assertThat(ServerClock.nanos(-5)).isEqualTo(-5_000);
    }
}
