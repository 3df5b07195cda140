package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A bulk over several partitions, of which one does not answer. */
class BulkBesideSilentPartitionTests {

    private static final int SILENT = 2;

    /** Several batches for each partition. */
    private static final int MESSAGES = 8 * MessageStore.LARGEST_BATCH;

    private static final Partitioning PARTITIONS = new Partitioning(TestQueue.TOPIC, 4, false, List.of());

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void theOthersGetTheirMessagesMeanwhile() throws Exception {
        scheduleBeside(List.of());
    }

    @Test
    void theOthersGetTheirMessagesMeanwhileIfFormerPartitionsAreLookedInto() throws Exception {
        String former =
                ids().filter(id -> PARTITIONS.of(id).number() == 1).findFirst().orElseThrow();
        scheduleBeside(List.of(former));
    }

    /** @param former scheduled before there were several partitions */
    private void scheduleBeside(List<String> former) throws Exception {
        former.forEach(id -> open(1).schedule(message(id)));
        DelayQueueClient other = open(PARTITIONS.partitions());
        List<OutgoingMessage> messages = ids().filter(id -> !former.contains(id))
                .map(BulkBesideSilentPartitionTests::message)
                .toList();
        long ofOthers = messages.stream()
                .filter(message -> PARTITIONS.of(message.id()).number() != SILENT)
                .count();
        CompletableFuture<Void> answering = new CompletableFuture<>();
        RedisMessageStore store = RedisMessageStore.create(test.client(), other.options());

        try (Engine engine = new Engine(SilentPartition.of(store, answering), other.options())) {
            CompletableFuture<List<ScheduleResult>> bulk = engine.scheduleAllAsync(messages);
            TestQueue.await().until(() -> other.stats(TestQueue.TOPIC).pending().total() == former.size() + ofOthers);

            assertThat(bulk).isNotDone();
            answering.complete(null);
            assertThat(bulk.get(20, TimeUnit.SECONDS)).hasSize(messages.size());
        }
    }

    /** A store of which one partition takes no messages until a future completes. */
    private record SilentPartition(MessageStore store, CompletableFuture<Void> answering) implements InvocationHandler {

        static MessageStore of(MessageStore store, CompletableFuture<Void> answering) {
            return (MessageStore) Proxy.newProxyInstance(
                    MessageStore.class.getClassLoader(),
                    new Class<?>[] {MessageStore.class},
                    new SilentPartition(store, answering));
        }

        @Override
        public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
            if (method.getName().equals("schedule") && ((Partition) arguments[0]).number() == SILENT) {
                @SuppressWarnings("unchecked")
                List<OutgoingMessage> messages = (List<OutgoingMessage>) arguments[1];
                return answering.thenCompose(now -> store.schedule((Partition) arguments[0], messages));
            }
            try {
                return method.invoke(store, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }

    private DelayQueueClient open(int partitions) {
        return test.open(options -> options.topic(
                TestQueue.TOPIC, TopicOptions.builder().partitions(partitions).build()));
    }

    private static Stream<String> ids() {
        return IntStream.range(0, MESSAGES).mapToObj(i -> "m" + i);
    }

    private static OutgoingMessage message(String id) {
        return TestQueue.message().id(id).delay(Duration.ofHours(1)).build();
    }
}
