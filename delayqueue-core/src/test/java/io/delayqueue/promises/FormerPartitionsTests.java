package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.engine.Engine;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.testsupport.TestQueue;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** After an increase, former partitions are looked into only as long as they have messages; no id is ever in two partitions. */
class FormerPartitionsTests {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final int PARTITIONS = 4;

    @RegisterExtension
    final TestQueue test = new TestQueue();

    private final AtomicInteger searches = new AtomicInteger();

    @Test
    void formerCountIsForgottenByAllOnceItsMessagesAreGone() {
        DelayQueueClient before = open(1);
        scheduleAll(before, 0, 3_000, HOUR);
        DelayQueueClient after = open(PARTITIONS);
        assertThat(after.find(TestQueue.TOPIC, "5")).isPresent();
        assertThat(test.redis().hget(meta(0), "former")).isEqualTo("1");
        assertThat(lookUps(after)).as("commands for former partitions").isPositive();
        cancelAllButThoseOf(0, after);

        awaitForgotten(after);

        // the messages that the present count puts in partition 0 are there all the time
        assertThat(after.stats(TestQueue.TOPIC).pending().total()).isBetween(600L, 900L);
        assertThat(lookUps(after)).isZero();
        TestQueue.await().until(() -> lookUps(before) == 0);
    }

    @Test
    void formerCountIsKeptWhileOneOfItsMessagesIsLeft() {
        scheduleAll(open(1), 0, 40, HOUR);
        DelayQueueClient after = open(PARTITIONS);
        String last = ids(0, 40).filter(id -> partitionOf(id) == 3).findFirst().orElseThrow();
        cancelAll(after, ids(0, 40).filter(id -> !id.equals(last)).toList());
        int asked = searches.get();
        TestQueue.await().until(() -> {
            assertThat(after.find(TestQueue.TOPIC, last)).isPresent();
            assertThat(after.schedule(message(last, HOUR).build()).outcome())
                    .isEqualTo(ScheduleOutcome.REJECTED_DUPLICATE);
            return searches.get() > asked + 5;
        });
        assertThat(test.redis().hget(meta(0), "former")).isEqualTo("1");

        assertThat(after.cancel(TestQueue.TOPIC, last)).isEqualTo(CancelOutcome.CANCELLED);

        awaitForgotten(after);
    }

    @Test
    void instanceThatStillKnowsTheOldCountAddsNothingToAFormerPartition() {
        DelayQueueClient knowsOne = open(1);
        scheduleAll(knowsOne, 0, 1, HOUR);
        DelayQueueClient after = open(PARTITIONS);
        assertThat(after.cancel(TestQueue.TOPIC, "0")).isEqualTo(CancelOutcome.CANCELLED);
        awaitForgotten(after);

        scheduleAll(knowsOne, 0, 100, HOUR);

        assertThat(placesOfIds())
                .hasSize(100)
                .allSatisfy((id, places) -> assertThat(places).containsExactly(partitionOf(id)));
        for (int i = 0; i < 100; i++) {
            assertThat(after.find(TestQueue.TOPIC, String.valueOf(i))).isPresent();
        }
    }

    @Test
    void secondIncreaseAddsFormerCountsAndAllAreForgottenInTheEnd() {
        scheduleAll(open(1), 0, 40, HOUR);
        scheduleAll(open(3), 40, 80, HOUR);
        DelayQueueClient after = open(7);
        for (int i = 0; i < 80; i++) {
            assertThat(after.find(TestQueue.TOPIC, String.valueOf(i))).isPresent();
        }
        assertThat(test.redis().hget(meta(0), "former")).isEqualTo("1,3");

        cancelAll(after, ids(0, 80).toList());

        awaitForgotten(after);
    }

    /** A caller finds an id in its former partition; before it writes, the message ends, and another caller schedules it anew. */
    @Test
    void idThatEndsBetweenLookUpAndWriteIsInOnePartitionOnly() {
        List<String> ids = ids(0, 100).filter(id -> partitionOf(id) != 0).toList();
        DelayQueueClient before = open(1);
        scheduleAll(before, 0, 100, HOUR);
        DelayQueueClient other = open(PARTITIONS);
        assertThat(other.find(TestQueue.TOPIC, "0")).isPresent();
        RedisMessageStore store = RedisMessageStore.create(test.client(), other.options());
        try (Engine slow = new Engine(
                LookUps.followedBy(store, id -> {
                    assertThat(other.cancel(TestQueue.TOPIC, id)).isEqualTo(CancelOutcome.CANCELLED);
                    assertThat(other.schedule(message(id, HOUR).build()).outcome())
                            .isEqualTo(ScheduleOutcome.SCHEDULED);
                }),
                // its search for former messages would look ids up, too
                searchingOnce())) {
            for (String id : ids) {
                OutgoingMessage replacing =
                        message(id, HOUR).ifExists(DuplicatePolicy.REPLACE).build();

                assertThat(slow.schedule(replacing).outcome()).isEqualTo(ScheduleOutcome.REPLACED);
            }
        }

        assertThat(placesOfIds())
                .hasSize(100)
                .allSatisfy((id, places) -> assertThat(places).containsExactly(partitionOf(id)));
    }

    private static DelayQueueOptions searchingOnce() {
        return TestQueue.clientOptions()
                .guardInterval(HOUR)
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder().partitions(PARTITIONS).build())
                .build();
    }

    /** A store whose callers are slow: something happens between the answer to their first look-up of an id and their next call. */
    private record LookUps(MessageStore store, Consumer<String> then, Set<String> seen) implements InvocationHandler {

        static MessageStore followedBy(MessageStore store, Consumer<String> then) {
            return (MessageStore) Proxy.newProxyInstance(
                    MessageStore.class.getClassLoader(),
                    new Class<?>[] {MessageStore.class},
                    new LookUps(store, then, ConcurrentHashMap.newKeySet()));
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            Object answer;
            try {
                answer = method.invoke(store, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            if (!method.getName().equals("present")) {
                return answer;
            }
            String id = ((List<?>) arguments[1]).get(0).toString();
            return ((CompletableFuture<?>) answer).thenApplyAsync(found -> {
                if (seen.add(id)) {
                    then.accept(id);
                }
                return found;
            });
        }
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.guardInterval(Duration.ofMillis(20))
                .observer(new CountingSearches())
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder().partitions(partitions).build()));
    }

    /** Each search begins with a question to the first partition. */
    private final class CountingSearches implements DelayQueueObserver {

        @Override
        public void redisCall(String script, Duration duration, @Nullable Throwable error) {
            if (script.equals("partitions")) {
                searches.incrementAndGet();
            }
        }
    }

    private static OutgoingMessage.Builder message(String id, Duration delay) {
        return TestQueue.message().id(id).delay(delay);
    }

    private static void scheduleAll(DelayQueueClient queue, int from, int to, Duration delay) {
        queue.scheduleAll(IntStream.range(from, to)
                .mapToObj(i -> message(String.valueOf(i), delay).build())
                .toList());
    }

    private static Stream<String> ids(int from, int to) {
        return IntStream.range(from, to).mapToObj(String::valueOf);
    }

    private static void cancelAll(DelayQueueClient queue, List<String> ids) {
        List<CompletableFuture<CancelOutcome>> outcomes =
                ids.stream().map(id -> queue.cancelAsync(TestQueue.TOPIC, id)).toList();
        assertThat(outcomes).allSatisfy(outcome -> assertThat(outcome.join()).isEqualTo(CancelOutcome.CANCELLED));
    }

    /** Of the messages in a partition, those stay that the present count puts there. */
    private void cancelAllButThoseOf(int number, DelayQueueClient queue) {
        cancelAll(
                queue,
                test.redis().hkeys(messages(number)).stream()
                        .filter(id -> partitionOf(id) != number)
                        .toList());
    }

    private void awaitForgotten(DelayQueueClient queue) {
        TestQueue.await().until(() -> {
            queue.find(TestQueue.TOPIC, "unknown");
            return test.redis().hget(meta(0), "former") == null;
        });
        TestQueue.await().until(() -> lookUps(queue) == 0);
    }

    /** Commands that ask former partitions for an id when 20 messages are scheduled. */
    private long lookUps(DelayQueueClient queue) {
        long before = calls("hexists");
        for (int i = 0; i < 20; i++) {
            OutgoingMessage message = message("look-up-" + i, HOUR).build();
            queue.schedule(message);
            queue.cancel(TestQueue.TOPIC, message.id());
        }
        return calls("hexists") - before;
    }

    private long calls(String command) {
        return test.redis()
                .info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_" + command + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*:calls=(\\d+).*", "$1")))
                .sum();
    }

    private Map<String, List<Integer>> placesOfIds() {
        Map<String, List<Integer>> places = new HashMap<>();
        for (int number = 0; number < PARTITIONS; number++) {
            for (String id : test.redis().hkeys(messages(number))) {
                places.computeIfAbsent(id, none -> new ArrayList<>()).add(number);
            }
        }
        return places;
    }

    private static int partitionOf(String id) {
        CRC32 hash = new CRC32();
        hash.update(id.getBytes(StandardCharsets.UTF_8));
        return (int) (hash.getValue() % PARTITIONS);
    }

    private static String meta(int number) {
        return "dq:{" + TestQueue.TOPIC + ":" + number + "}:meta";
    }

    private static String messages(int number) {
        return "dq:{" + TestQueue.TOPIC + ":" + number + "}:messages";
    }
}
