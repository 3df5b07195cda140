package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A rolling update: this version of the library, and beside it a later one whose envelope is another. */
class TwoVersionsTests {

    private static final int MESSAGES = 40;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final AtomicLong left = new AtomicLong();
    private final List<String> handledByLater = new CopyOnWriteArrayList<>();

    @Test
    void messagesOfTheLaterVersionWaitForItAndTheirNeighboursDoNot() throws Exception {
        String uri = test.uri();
        Deliveries handled = new Deliveries(test);
        DelayQueueClient queue = open();
        TestQueue.consume(queue, TestQueue.options(), handled);

        try (NewerLibrary later = NewerLibrary.start(uri, null)) {
            ids("later").forEach(later::schedule);
            TestQueue.await().untilAsserted(() -> assertThat(left).hasValueGreaterThanOrEqualTo(MESSAGES));
            ids("ours").forEach(id -> queue.schedule(TestQueue.message().id(id).build()));
            TestQueue.await().until(() -> test.stats().totals().acked() == MESSAGES);
            assertThat(test.stats().pending().total()).isEqualTo(MESSAGES);
            assertThat(test.stats().dead()).isZero();
        }

        try (NewerLibrary later = NewerLibrary.start(uri, handledByLater::add)) {
            test.awaitDrained();
        }
        assertThat(handled.ids()).containsExactlyInAnyOrderElementsOf(ids("ours"));
        assertThat(handledByLater).containsExactlyInAnyOrderElementsOf(ids("later"));
    }

    @Test
    void eachMessageIsHandledOnceByAVersionThatKnowsIt() throws Exception {
        Deliveries handled = new Deliveries(test);
        DelayQueueClient queue = open();
        TestQueue.consume(queue, TestQueue.options(), handled);

        try (NewerLibrary later = NewerLibrary.start(test.uri(), handledByLater::add)) {
            for (int i = 0; i < MESSAGES; i++) {
                later.schedule("later" + i);
                queue.schedule(TestQueue.message().id("ours" + i).build());
            }
            test.awaitDrained();
        }

        assertThat(handled.ids()).allMatch(id -> id.startsWith("ours"));
        assertThat(Stream.of(handled.ids(), handledByLater).flatMap(List::stream))
                .containsExactlyInAnyOrderElementsOf(Stream.of(ids("ours"), ids("later"))
                        .flatMap(List::stream)
                        .toList());
    }

    /** The guard interval is an hour, so it is the claim's answer that says when to look again. */
    private DelayQueueClient open() {
        return test.open(options -> options.observer(new DelayQueueObserver() {
            @Override
            public void deferredToNewerVersion(String topic, long count) {
                left.addAndGet(count);
            }
        }));
    }

    private static List<String> ids(String prefix) {
        return IntStream.range(0, MESSAGES).mapToObj(i -> prefix + i).toList();
    }
}
