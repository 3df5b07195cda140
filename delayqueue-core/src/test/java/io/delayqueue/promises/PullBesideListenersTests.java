package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.PullConsumer;
import io.delayqueue.PulledMessage;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pull consumers and listeners of one topic share its messages: neither takes all of them while the other one is free. */
class PullBesideListenersTests {

    private static final int WORKERS = 5;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final AtomicInteger pulled = new AtomicInteger();
    private final AtomicInteger listened = new AtomicInteger();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final ExecutorService workers = Executors.newFixedThreadPool(WORKERS);

    @AfterEach
    void stopWorkers() {
        stopping.set(true);
        workers.shutdownNow();
    }

    /** As many wait on either side. */
    @ParameterizedTest(name = "in one process: {0}")
    @ValueSource(booleans = {true, false})
    void messagesOfATrickleGoToBoth(boolean inOneProcess) {
        begin(inOneProcess);
        int count = 400;

        test.queue()
                .scheduleAll(IntStream.range(0, count)
                        .mapToObj(i -> TestQueue.message()
                                .delay(Duration.ofMillis(500 + 5L * i))
                                .build())
                        .toList());

        test.awaitAcked(count);
        assertShared(count);
    }

    @ParameterizedTest(name = "in one process: {0}")
    @ValueSource(booleans = {true, false})
    @Tag("slow")
    void aBacklogIsWorkedOffByBoth(boolean inOneProcess) {
        int count = 2000;
        test.scheduleMany(count);

        begin(inOneProcess);

        test.awaitAcked(count);
        assertShared(count);
    }

    /** Both are idle whenever one comes: the consumer that is woken first gets it. */
    @Test
    void messagesThatComeAloneGoToBothInOneProcess() {
        begin(true);
        int count = 200;

        for (int i = 1; i <= count; i++) {
            test.schedule("alone-" + i);
            test.awaitAcked(i);
        }

        assertShared(count);
    }

    @Test
    void aPullConsumerThatIsAskedNowAndThenLeavesTheRestToTheListener() {
        PullConsumer pull = test.queue().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        CompletableFuture<List<PulledMessage>> one = pull.receiveAsync(1, Duration.ofMinutes(1));
        test.schedule("pulled");
        one.orTimeout(20, TimeUnit.SECONDS).join();
        test.consume(TestQueue.options(), (message, delivery) -> listened.incrementAndGet());

        test.scheduleMany(300);

        test.awaitAcked(300);
        assertThat(listened).hasValue(300);
        assertThat(pull.ack(one.join().get(0).receipt())).isTrue();
    }

    /** Each message takes 2 ms of a listener's thread or of a thread that pulls. */
    private void begin(boolean inOneProcess) {
        DelayQueueClient listening = inOneProcess ? test.queue() : test.open(options -> options);
        PullConsumer pull = test.queue().pullConsumer(TestQueue.TOPIC, PullConsumerTests.options());
        for (int i = 0; i < WORKERS; i++) {
            workers.execute(() -> {
                while (!stopping.get()) {
                    for (PulledMessage message : pull.receive(1, Duration.ofSeconds(1))) {
                        work();
                        pulled.incrementAndGet();
                        pull.ackAsync(message.receipt());
                    }
                }
            });
        }
        TestQueue.consume(listening, TestQueue.options().concurrency(WORKERS), (message, delivery) -> {
            work();
            listened.incrementAndGet();
        });
    }

    private static void work() {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }

    /** On a busy machine, the side with the longer way to a message gets fewer; one that starves gets none. */
    private void assertShared(int count) {
        assertThat(pulled.get() + listened.get()).isEqualTo(count);
        assertThat(pulled).as("%s pulled, %s listened", pulled, listened).hasValueBetween(count / 20, count * 19 / 20);
    }
}
