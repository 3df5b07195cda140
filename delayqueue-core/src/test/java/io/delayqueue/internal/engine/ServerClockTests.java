package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** By the process' clock the store's shows 0 µs at 0 ns, unless a test says otherwise. */
class ServerClockTests {

    private final ServerClock time = new ServerClock();

    @Test
    void countsFromWhenTheAnswerWasHere() {
        told(1_000, 950, 1_400);

        assertThat(time.nanosOf(1_000)).isEqualTo(nanos(1_400));
        assertThat(time.nanosOf(900)).isEqualTo(nanos(1_300));
    }

    @Test
    void allowsForAClockThatIsFaster() {
        told(1_000, 950, 1_400);

        assertThat(time.nanosOf(11_000)).isEqualTo(nanos(11_410));
    }

    @Test
    void keepsTheAnswerThatCameQuickest() {
        told(1_000, 950, 1_050);
        told(2_000, 1_950, 2_700);

        assertThat(time.nanosOf(3_000)).isEqualTo(nanos(3_052));
    }

    @Test
    void takesTheNewAnswerOnceTheFormerIsTooOld() {
        told(1_000, 950, 1_050);
        told(701_000, 700_950, 701_700);

        assertThat(time.nanosOf(701_000)).isEqualTo(nanos(701_700));
    }

    @Test
    void takesAQuickerAnswerAtOnce() {
        told(1_000, 950, 1_900);
        told(2_000, 1_950, 2_030);

        assertThat(time.nanosOf(2_000)).isEqualTo(nanos(2_030));
    }

    /** By the former answer it would have been that late in the store before the question was asked. */
    @Test
    void forgetsTheFormerAnswerIfTheStoresClockWasSetBack() {
        told(1_000, 950, 1_050);
        told(2_000, 2_950, 3_700);

        assertThat(time.nanosOf(2_000)).isEqualTo(nanos(3_700));
    }

    @Test
    void forgetsTheFormerAnswerIfTheStoresClockWasSetForward() {
        told(1_000, 950, 1_050);
        told(9_000, 1_950, 2_700);

        assertThat(time.nanosOf(9_000)).isEqualTo(nanos(2_700));
    }

    /** The store's clock could have been set back meanwhile by as much. */
    @Test
    void doesNotTrustTheFormerAnswerForLongerThanAMoment() {
        told(1_000, 950, 1_050);
        told(2_000, 1_950, 12_000);
        assertThat(time.nanosOf(2_000)).as("10 ms").isEqualTo(nanos(2_051));

        told(3_000, 2_950, 13_100);
        assertThat(time.nanosOf(3_000)).as("more").isEqualTo(nanos(13_100));
    }

    private void told(long micros, long sentMicros, long answeredMicros) {
        time.told(micros, nanos(sentMicros), nanos(answeredMicros));
    }

    private static long nanos(long micros) {
        return TimeUnit.MICROSECONDS.toNanos(micros);
    }
}
