package io.delayqueue.gateway.http.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.gateway.http.problem.ProblemType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A late call tells whether it has begun: only one that has may be carried out. */
class BoundedCallsTests {

    @Test
    void lateCallTellsWhetherItHasBegun() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean made = new AtomicBoolean();
        try (BoundedCalls calls =
                new BoundedCalls("test", 1, 1, Duration.ofSeconds(2), ProblemType.JOURNAL_UNAVAILABLE)) {
            CompletableFuture<Boolean> first = calls.call(() -> {
                begun.countDown();
                end.await();
                return true;
            });
            assertThat(begun.await(40, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<Boolean> second = calls.call(() -> {
                made.set(true);
                return true;
            });
            try {
                assertThatThrownBy(() -> calls.call(() -> true)).hasMessageContaining("nothing was done");
                assertThatThrownBy(first::join).hasMessageContaining("may have been carried out");
                assertThatThrownBy(second::join).hasMessageContaining("nothing was done");
            } finally {
                end.countDown();
            }
            // the thread is free again, and skips the second call
            CompletableFuture<Boolean> third = calls.call(() -> true);
            assertThat(third.handle((done, failure) -> true).join()).isTrue();
            assertThat(made).isFalse();
        }
    }
}
