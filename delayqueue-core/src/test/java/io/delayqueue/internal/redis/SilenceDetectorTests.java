package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SilenceDetectorTests {

    private static final Object SERVER = "10.0.0.7";

    private final SilenceDetector silence = new SilenceDetector();

    @Test
    void twoCommandsInARowWithoutAnAnswerAreASilenceOnce() {
        assertThat(silence.unanswered(SERVER, secondsAgo(5))).isFalse();
        assertThat(silence.unanswered(SERVER, secondsAgo(3))).isTrue();
        assertThat(silence.unanswered(SERVER, secondsAgo(3))).isFalse();
    }

    @Test
    void commandsOfTheSameMomentAreNoSilence() {
        assertThat(silence.unanswered(SERVER, System.nanoTime())).isFalse();
        assertThat(silence.unanswered(SERVER, System.nanoTime())).isFalse();
    }

    @Test
    void anAnswerEndsTheSilenceOfItsServerOnly() {
        assertThat(silence.unanswered(SERVER, secondsAgo(5))).isFalse();
        assertThat(silence.unanswered("10.0.0.8", secondsAgo(5))).isFalse();

        silence.answered(SERVER);

        assertThat(silence.unanswered(SERVER, secondsAgo(3))).isFalse();
        assertThat(silence.unanswered("10.0.0.8", secondsAgo(3))).isTrue();
    }

    private static long secondsAgo(int seconds) {
        return System.nanoTime() - TimeUnit.SECONDS.toNanos(seconds);
    }
}
