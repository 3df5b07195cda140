package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Moves of an instance, one after the other. */
@ExtendWith(EmbeddedRedisExtension.class)
class MovesTests {

    private static final String QUEUE = "orders-dead";
    private static final Duration WAIT = Duration.ofSeconds(60);

    private static void kill(DelayQueueClient client, int messages) {
        List<OutgoingMessage> all = new ArrayList<>();
        for (int i = 0; i < messages; i++) {
            all.add(OutgoingMessage.to("orders").payload(new byte[] {'x'}).build());
        }
        assertThat(client.scheduleAll(all)).hasSize(messages);
        try (PullConsumer consumer = client.pullConsumer("orders", PullOptions.defaults())) {
            for (int left = messages; left > 0; ) {
                for (PulledMessage message : consumer.receive(left, WAIT)) {
                    assertThat(consumer.deadLetter(message.receipt(), "test")).isTrue();
                    left--;
                }
            }
        }
    }

    private static MoveTask task(DelayQueueClient client) {
        long now = client.stats("orders").time().toEpochMilli();
        return new MoveTask(UUID.randomUUID().toString(), MoveTask.RUNNING, 1, 20, 0, now, null);
    }

    /** Such as one that was repeated since Redis' answer was lost. */
    @Test
    void lateStepOfAMoveThatHasEndedLeavesTheNextOneAlone(EmbeddedRedis redis) throws Exception {
        try (OpenSqs sqs = OpenSqs.start(redis)) {
            sqs.create(QUEUE);
            Moves moves = sqs.gateway().context().getBean(Moves.class);
            MoveTaskStore store = sqs.gateway().context().getBean(MoveTaskStore.class);
            kill(sqs.client(), 20);
            MoveTask ended = task(sqs.client());
            assertThat(moves.begin(QUEUE, ended)).isTrue();
            store.cancel(ended);
            await().atMost(WAIT).until(() -> store.running(QUEUE).isEmpty());
            MoveTask next = task(sqs.client());
            assertThat(moves.begin(QUEUE, next)).isTrue();

            moves.step(QUEUE, ended);

            assertThat(store.running(QUEUE)).map(MoveTask::id).contains(next.id());
            assertThat(store.unended()).containsEntry(QUEUE, next.id());
            assertThat(store.takeCharge(QUEUE)).as("the charge is free").isFalse();
        }
    }
}
