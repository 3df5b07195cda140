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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A rolling update: this version of the library beside a newer one with another envelope version. */
@Tag("slow")
class TwoVersionsTests {

    private static final int MESSAGES = 40;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final AtomicLong deferred = new AtomicLong();
    private final List<String> handledByNewer = new CopyOnWriteArrayList<>();

    @Test
    void messagesOfTheNewerVersionAreDeferredAndOthersAreHandled() throws Exception {
        String uri = test.uri();
        Deliveries handled = new Deliveries(test);
        DelayQueueClient queue = open();
        TestQueue.consume(queue, TestQueue.options(), handled);

        try (NewerLibrary newer = NewerLibrary.start(uri, null)) {
            ids("newer").forEach(newer::schedule);
            TestQueue.await().untilAsserted(() -> assertThat(deferred).hasValueGreaterThanOrEqualTo(MESSAGES));
            ids("ours").forEach(id -> queue.schedule(TestQueue.message().id(id).build()));
            TestQueue.await().until(() -> test.stats().totals().acked() == MESSAGES);
            assertThat(test.stats().pending().total()).isEqualTo(MESSAGES);
            assertThat(test.stats().dead()).isZero();
        }

        try (NewerLibrary newer = NewerLibrary.start(uri, handledByNewer::add)) {
            test.awaitDrained();
        }
        assertThat(handled.ids()).containsExactlyInAnyOrderElementsOf(ids("ours"));
        assertThat(handledByNewer).containsExactlyInAnyOrderElementsOf(ids("newer"));
    }

    @Test
    void eachMessageIsHandledOnceByAVersionThatKnowsIt() throws Exception {
        Deliveries handled = new Deliveries(test);
        DelayQueueClient queue = open();
        TestQueue.consume(queue, TestQueue.options(), handled);

        try (NewerLibrary newer = NewerLibrary.start(test.uri(), handledByNewer::add)) {
            for (int i = 0; i < MESSAGES; i++) {
                newer.schedule("newer" + i);
                queue.schedule(TestQueue.message().id("ours" + i).build());
            }
            test.awaitDrained();
        }

        assertThat(handled.ids()).allMatch(id -> id.startsWith("ours"));
        assertThat(Stream.of(handled.ids(), handledByNewer).flatMap(List::stream))
                .containsExactlyInAnyOrderElementsOf(Stream.of(ids("ours"), ids("newer"))
                        .flatMap(List::stream)
                        .toList());
    }

    /** The guard interval is an hour, so it is the claim's answer that says when to look again. */
    private DelayQueueClient open() {
        return test.open(options -> options.observer(new DelayQueueObserver() {
            @Override
            public void deferredToNewerVersion(String topic, long count) {
                deferred.addAndGet(count);
            }
        }));
    }

    private static List<String> ids(String prefix) {
        return IntStream.range(0, MESSAGES).mapToObj(i -> prefix + i).toList();
    }
}
