package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.Subscription;
import io.delayqueue.TopicOptions;
import io.delayqueue.internal.engine.Engine;
import io.delayqueue.internal.redis.RedisMessageStore;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.testsupport.TestQueue;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Messages with a single attempt of several partitions. One partition falls silent after its messages were claimed: no mark that
 * their handlers begin is answered any more.
 */
class MarksBesideSilentPartitionTests {

    private static final int SILENT = 2;
    private static final int MESSAGES = 400;
    private static final int CONCURRENCY = 10;

    /** The time that a handler would wait for its mark, holding a slot: much longer than this test may take. */
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(40);

    private static final Partitioning PARTITIONS = new Partitioning(TestQueue.TOPIC, 4, false, List.of());

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void theOthersHaveTheirMessagesHandledMeanwhile() {
        DelayQueueClient client = test.open(MarksBesideSilentPartitionTests::partitioned);
        List<String> ofSilent = ids(of -> of == SILENT);
        List<String> others = ids(of -> of != SILENT);
        schedule(client, ofSilent);
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        SilentMarks silent = new SilentMarks(RedisMessageStore.create(test.client(), client.options()));

        try (Engine engine = new Engine(silent.store(), client.options())) {
            Subscription subscription = engine.subscribe(
                    TestQueue.TOPIC,
                    ConsumerOptions.builder()
                            .concurrency(CONCURRENCY)
                            .maxAttempts(1)
                            .build(),
                    (message, delivery) -> handled.add(message.id()));
            subscription.start();
            // one claim brings as many as there are slots
            TestQueue.await().untilAsserted(() -> assertThat(silent.marks).hasPositiveValue());
            schedule(client, others);

            TestQueue.await().atMost(Duration.ofSeconds(20)).until(() -> handled.size() == others.size());
            assertThat(handled).containsExactlyInAnyOrderElementsOf(others);
            silent.answering.complete(null);
            TestQueue.await().until(() -> handled.size() == ofSilent.size() + others.size());
            assertThat(handled).doesNotHaveDuplicates();
        }
    }

    /** One partition answers no renewal until a future completes, and no claim after the first renewal that it did not answer. */
    private static final class SilentMarks implements InvocationHandler {

        final CompletableFuture<Void> answering = new CompletableFuture<>();
        final AtomicInteger marks = new AtomicInteger();
        private final MessageStore store;

        SilentMarks(MessageStore store) {
            this.store = store;
        }

        MessageStore store() {
            return (MessageStore) Proxy.newProxyInstance(
                    MessageStore.class.getClassLoader(), new Class<?>[] {MessageStore.class}, this);
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (arguments != null && arguments[0] instanceof Partition partition && partition.number() == SILENT) {
                if (method.getName().equals("extend")) {
                    marks.incrementAndGet();
                    return answering.thenCompose(now -> call(method, arguments));
                }
                if (method.getName().equals("claim") && marks.get() > 0) {
                    return answering.thenCompose(now -> call(method, arguments));
                }
            }
            try {
                return method.invoke(store, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }

        @SuppressWarnings("unchecked")
        private CompletableFuture<Object> call(Method method, Object[] arguments) {
            try {
                return (CompletableFuture<Object>) method.invoke(store, arguments);
            } catch (ReflectiveOperationException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
    }

    private static DelayQueueOptions.Builder partitioned(DelayQueueOptions.Builder options) {
        return options.commandTimeout(COMMAND_TIMEOUT)
                .topic(
                        TestQueue.TOPIC,
                        TopicOptions.builder()
                                .partitions(PARTITIONS.partitions())
                                .build());
    }

    private static List<String> ids(IntPredicate partition) {
        return IntStream.range(0, MESSAGES)
                .mapToObj(i -> "m" + i)
                .filter(id -> partition.test(PARTITIONS.of(id).number()))
                .toList();
    }

    private static void schedule(DelayQueueClient client, List<String> ids) {
        client.scheduleAll(
                ids.stream().map(id -> TestQueue.message().id(id).build()).toList());
    }
}
