package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AlarmTests {

    private static final long HOUR = TimeUnit.HOURS.toNanos(1);

    private final Alarm alarm = new Alarm();

    @Test
    void ringThatCameBeforeTheSleepIsKept() throws Exception {
        alarm.ringIn(0);

        assertThat(alarm.await(HOUR)).isTrue();
    }

    @Test
    void ringStaysUntilItIsCleared() throws Exception {
        alarm.ringIn(0);
        alarm.await(HOUR);

        assertThat(alarm.await(HOUR)).isTrue();
        alarm.clear();
        assertThat(alarm.await(0)).isFalse();
    }

    @Test
    void earliestOfSeveralTimesCounts() throws Exception {
        alarm.ringIn(HOUR);
        alarm.ringIn(TimeUnit.MILLISECONDS.toNanos(5));
        alarm.ringIn(HOUR);

        assertThat(alarm.await(HOUR)).isTrue();
    }

    @Test
    void ringComesNoSoonerThanItWasSetTo() throws Exception {
        long start = System.nanoTime();
        alarm.ringIn(TimeUnit.MILLISECONDS.toNanos(30));

        assertThat(alarm.await(HOUR)).isTrue();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(30));
    }

    @Test
    void sleepWithoutARingEndsWhenItsTimeIsOver() throws Exception {
        alarm.ringIn(HOUR);
        long start = System.nanoTime();

        assertThat(alarm.await(TimeUnit.MILLISECONDS.toNanos(20))).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void sleeperIsWokenByAnEarlierRing() throws Exception {
        alarm.ringIn(HOUR);
        Thread[] sleeper = new Thread[1];
        CompletableFuture<Boolean> rang = new CompletableFuture<>();
        sleeper[0] = new Thread(() -> {
            try {
                rang.complete(alarm.await(HOUR));
            } catch (InterruptedException e) {
                rang.completeExceptionally(e);
            }
        });
        sleeper[0].start();
        Eventually.isAsleep(sleeper[0]);

        alarm.ringIn(0);

        assertThat(rang.get(30, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void timesOfTheStoreDontOverflow() throws Exception {
        assertThat(Alarm.nanos(Long.MAX_VALUE)).isBetween(HOUR, Long.MAX_VALUE / 2);
        assertThat(Alarm.nanos(7)).isEqualTo(7000);
        alarm.ringIn(Alarm.nanos(Long.MAX_VALUE));
        assertThat(alarm.await(1)).isFalse();
    }
}
