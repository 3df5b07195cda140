package io.delayqueue.docs.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PulledMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(EmbeddedRedisExtension.class)
class PullRemindersTests {

    @Test
    void aWorkerGetsAReminderAndSettlesItByItsReceipt(EmbeddedRedis redis) throws Exception {
        // the first connection of a JVM is a slow one
        DelayQueueOptions patient = DelayQueueOptions.builder()
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        RedisClient client = RedisClient.create(redis.uri());
        try (DelayQueueClient delayQueue = DelayQueueClient.create(client, patient);
                PullReminders reminders = new PullReminders(delayQueue)) {
            CompletableFuture<List<PulledMessage>> received = new CompletableFuture<>();
            reminders.next(received::complete);
            delayQueue.schedule(OutgoingMessage.to("reminder")
                    .payload(new byte[] {1})
                    .delay(Duration.ofMillis(50))
                    .build());

            String receipt = received.get(20, TimeUnit.SECONDS).get(0).receipt().toString();

            assertThat(reminders.workingOn(receipt)).isTrue();
            assertThat(reminders.done(receipt)).isTrue();
            assertThat(reminders.done(receipt)).isFalse();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
