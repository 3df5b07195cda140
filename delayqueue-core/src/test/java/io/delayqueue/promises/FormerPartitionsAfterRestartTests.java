package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The search through a former partition goes on over a server that lists its ids in another order than before. */
class FormerPartitionsAfterRestartTests {

    private static final int PARTITIONS = 4;

    /** A hash with fewer than 512 fields is a list, which has the same order on each server. */
    private static final int MESSAGES = 4_000;

    /** The search lists few messages of this size in a step, so that it stops close to the one that it found. */
    private static final int PAYLOAD = 4_000;

    private static final int LATE = 20;
    private static final int SURVIVORS = 3;

    @RegisterExtension
    final TestQueue test = new TestQueue(EmbeddedRedis.Builder::appendOnly);

    private final AtomicInteger searches = new AtomicInteger();
    private final AtomicInteger steps = new AtomicInteger();

    @Test
    void messagesThatTheSearchWouldMissOnTheNewServerAreFoundByTheirIds() {
        open(1).scheduleAll(IntStream.range(0, MESSAGES)
                .mapToObj(i -> TestQueue.message()
                        .id("m" + i)
                        .payload(new byte[PAYLOAD])
                        .delay(Duration.ofHours(1))
                        .build())
                .toList());
        DelayQueueClient queue = open(PARTITIONS);
        List<String> former = formerInOrderOfTheServer();
        List<String> late = former.subList(former.size() - LATE, former.size());
        queue.cancelAll(TestQueue.TOPIC, former.subList(0, former.size() - LATE));
        awaitSearchStopped(queue);

        test.server().kill();
        test.server().restart();
        // on which they are no longer the last
        assertThat(formerInOrderOfTheServer())
                .containsExactlyInAnyOrderElementsOf(late)
                .isNotEqualTo(late);
        TestQueue.await()
                .ignoreException(RedisUnavailableException.class)
                .until(() -> queue.find(TestQueue.TOPIC, "unknown").isEmpty());
        List<String> survivors = late.subList(LATE - SURVIVORS, LATE);
        queue.cancelAll(TestQueue.TOPIC, late.subList(0, LATE - SURVIVORS));
        awaitSearchStopped(queue);

        assertThat(survivors)
                .allSatisfy(
                        id -> assertThat(queue.find(TestQueue.TOPIC, id)).as(id).isPresent());
        queue.cancelAll(TestQueue.TOPIC, survivors);
        TestQueue.await().until(() -> {
            queue.find(TestQueue.TOPIC, "unknown");
            return isForgotten();
        });
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.guardInterval(Duration.ofMillis(20))
                .commandTimeout(Duration.ofSeconds(5))
                .observer(new CountingSearches())
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder().partitions(partitions).build()));
    }

    /** It has found a message, and only asks whether that one is still there. */
    private void awaitSearchStopped(DelayQueueClient queue) {
        TestQueue.await().until(() -> {
            int stepsBefore = steps.get();
            int enough = searches.get() + 3;
            TestQueue.await().until(() -> {
                queue.find(TestQueue.TOPIC, "unknown");
                return searches.get() >= enough || isForgotten();
            });
            return stepsBefore > 0 && steps.get() == stepsBefore || isForgotten();
        });
        assertThat(isForgotten()).isFalse();
    }

    private boolean isForgotten() {
        return test.redis().hget(TestQueue.key("meta"), "former") == null;
    }

    /** Ids in the first partition that the present count puts elsewhere. */
    private List<String> formerInOrderOfTheServer() {
        Partitioning present = new Partitioning(TestQueue.TOPIC, PARTITIONS, false, List.of());
        List<String> ids = new ArrayList<>();
        ScanCursor cursor = ScanCursor.INITIAL;
        do {
            MapScanCursor<String, String> page =
                    test.redis().hscan(TestQueue.key("messages"), cursor, ScanArgs.Builder.limit(100));
            page.getMap().keySet().stream()
                    .filter(id -> present.of(id).number() != 0)
                    .forEach(ids::add);
            cursor = page;
        } while (!cursor.isFinished());
        return ids;
    }

    /** Each search begins with a question to the first partition. */
    private final class CountingSearches implements DelayQueueObserver {

        @Override
        public void redisCall(String script, Duration duration, @Nullable Throwable error) {
            if (script.equals("partitions")) {
                searches.incrementAndGet();
            } else if (script.equals("list_ids")) {
                steps.incrementAndGet();
            }
        }
    }
}
