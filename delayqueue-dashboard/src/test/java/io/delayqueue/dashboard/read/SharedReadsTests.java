package io.delayqueue.dashboard.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Reads that viewers share. */
class SharedReadsTests {

    private final ExecutorService executor = Executors.newFixedThreadPool(4);
    private final SharedReads<Read> reads = new SharedReads<>(executor, 100);
    private final AtomicInteger count = new AtomicInteger();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private record Read(String name, Duration lifetime, Supplier<Object> how) implements SharedReads.Read {
        @Override
        public Object read() {
            return how.get();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Read read && read.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }
    }

    @Test
    void thoseWhoAskAtOnceShareOneRead() throws Exception {
        CountDownLatch begin = new CountDownLatch(1);
        Read read = new Read("a", Duration.ofHours(1), () -> {
            try {
                begin.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return count.incrementAndGet();
        });
        List<CompletableFuture<Object>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(reads.get(read));
        }
        begin.countDown();

        assertThat(answers)
                .allSatisfy(
                        answer -> assertThat(answer.get(30, TimeUnit.SECONDS)).isEqualTo(1));
        assertThat(reads.get(read).join()).isEqualTo(1);
    }

    @Test
    void callersFutureIsItsOwn() {
        CountDownLatch begin = new CountDownLatch(1);
        Read read = new Read("a", Duration.ofHours(1), () -> {
            try {
                return begin.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        CompletableFuture<Object> givenUp = reads.get(read);
        CompletableFuture<Object> patient = reads.get(read);

        givenUp.cancel(false);
        begin.countDown();

        assertThat(patient.join()).isEqualTo(true);
    }

    @Test
    void answerThatIsOldIsReadAgain() {
        Read read = new Read("a", Duration.ZERO, count::incrementAndGet);

        assertThat(reads.get(read).join()).isEqualTo(1);
        assertThat(reads.get(read).join()).isEqualTo(2);
    }

    @Test
    void changeIsSeenByTheNext() {
        Read read = new Read("a", Duration.ofHours(1), count::incrementAndGet);
        reads.get(read).join();

        reads.expireAll();

        assertThat(reads.get(read).join()).isEqualTo(2);
    }

    @Test
    void failureAndErrorAreSharedAndEnd() {
        Read read = new Read("a", Duration.ofHours(1), () -> {
            count.incrementAndGet();
            throw new StackOverflowError("deep");
        });

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> reads.get(read).join())
                    .isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(StackOverflowError.class);
        }
        assertThat(count).hasValue(1);
    }

    @Test
    void refusedReadIsTriedAgainByTheNext() {
        SharedReads<Read> full = new SharedReads<>(
                task -> {
                    if (count.incrementAndGet() == 1) {
                        throw new RejectedExecutionException("full");
                    }
                    task.run();
                },
                100);
        Read read = new Read("a", Duration.ofHours(1), () -> "read");

        assertThatThrownBy(() -> full.get(read)).isInstanceOf(RejectedExecutionException.class);
        assertThat(full.get(read).join()).isEqualTo("read");
    }

    @Test
    void answersKeptAreBounded() {
        for (int i = 0; i < 200; i++) {
            reads.get(new Read("a" + i, Duration.ofHours(1), count::incrementAndGet))
                    .join();
        }
        reads.get(new Read("a199", Duration.ofHours(1), count::incrementAndGet)).join();
        reads.get(new Read("a0", Duration.ofHours(1), count::incrementAndGet)).join();

        assertThat(count).hasValue(201);
    }
}
