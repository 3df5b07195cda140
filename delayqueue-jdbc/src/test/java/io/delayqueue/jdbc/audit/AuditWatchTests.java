package io.delayqueue.jdbc.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.delayqueue.jdbc.MessageStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AuditWatchTests {

    private final AuditBuffer buffer = new AuditBuffer(10, 1L << 40);
    private final List<Boolean> paused = new ArrayList<>();
    private boolean failing = true;
    private final AuditWatch watch = new AuditWatch(
            buffer,
            AuditPolicy.STOP,
            pause -> {
                paused.add(pause);
                if (failing) {
                    throw new IllegalStateException("on purpose");
                }
            },
            dropped -> {});

    @Test
    void aPauseThatFailsIsRepeated() {
        fill();
        assertThatIllegalStateException().isThrownBy(watch::look);
        failing = false;
        watch.look();
        watch.look();
        assertThat(paused).containsExactly(true, true);
    }

    /** Some of the listeners may be paused. */
    @Test
    void aPauseThatFailedIsEnded() throws Exception {
        fill();
        assertThatIllegalStateException().isThrownBy(watch::look);
        buffer.take(10, 0, TimeUnit.SECONDS);
        // the end of a pause that fails is repeated, too
        assertThatIllegalStateException().isThrownBy(watch::look);
        failing = false;
        watch.look();
        watch.look();
        watch.end();
        assertThat(paused).containsExactly(true, false, false);
    }

    @Test
    void aStopEndsAPauseThatFailed() {
        fill();
        assertThatIllegalStateException().isThrownBy(watch::look);
        failing = false;
        watch.end();
        assertThat(paused).containsExactly(true, false);
    }

    private static AuditEvent event(String id) {
        return new AuditEvent(
                "orders",
                id,
                "g0000000",
                MessageStatus.IN_FLIGHT,
                MessageStatus.ACKED,
                System.nanoTime(),
                System.nanoTime(),
                1,
                null,
                1,
                null,
                null);
    }

    private void fill() {
        IntStream.range(0, 9).forEach(i -> buffer.add(event("m" + i)));
    }
}
