package io.delayqueue.promises;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An application that runs in a {@link NewerLibrary}: schedules ids, and reports the ids that it handled. */
public final class NewerApplication implements Consumer<String>, AutoCloseable {

    private final RedisClient client;
    private final DelayQueueClient queue;

    /** @param handled receives the ids that it handled; null if it does not consume */
    public NewerApplication(String uri, @Nullable Consumer<String> handled) {
        client = RedisClient.create(uri);
        queue = DelayQueueClient.create(
                client,
                TestQueue.clientOptions().guardInterval(Duration.ofHours(1)).build());
        if (handled != null) {
            TestQueue.consume(queue, TestQueue.options(), (message, delivery) -> handled.accept(message.id()));
        }
    }

    @Override
    public void accept(String id) {
        queue.schedule(TestQueue.message().id(id).maxAttempts(1).build());
    }

    @Override
    public void close() {
        queue.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
