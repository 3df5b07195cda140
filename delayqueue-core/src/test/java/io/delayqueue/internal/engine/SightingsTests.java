package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SightingsTests {

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE);
    private final Sightings sightings = new Sightings("odd things", clock::get);

    @Test
    void theFirstIsToldAtOnceAndTheOthersOnceAMinute() {
        try (LogLines log = LogLines.of("io.delayqueue")) {
            for (int second = 0; second < 125; second++) {
                sightings.seen(2);
                clock.addAndGet(Duration.ofSeconds(1).toNanos());
            }
            assertThat(log.lines()).containsExactly("WARN 2 odd things", "WARN 120 odd things", "WARN 120 odd things");
        }
    }
}
