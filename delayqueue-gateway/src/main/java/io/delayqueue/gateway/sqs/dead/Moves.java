package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.gateway.sqs.queue.Queue;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Moves dead letters back to their queues, in bounded steps, the longest dead first. Safe for use by several threads. */
public final class Moves {

    private static final Logger log = LoggerFactory.getLogger(Moves.class);
    private static final int STEP = 500;
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final DelayQueueClient client;
    private final MoveTaskStore store;
    private final DeadTimer timer;

    public Moves(DelayQueueClient client, MoveTaskStore store, DeadTimer timer) {
        this.client = client;
        this.store = store;
        this.timer = timer;
    }

    /** Goes on with a move, soon. */
    void proceed(Queue queue, MoveTask task, Duration pause) {
        timer.after(pause, () -> step(queue, task));
    }

    private void step(Queue queue, MoveTask task) {
        try {
            if (store.isCancelled(task)) {
                store.update(queue.name(), task.ended(MoveTask.CANCELLED, null));
                return;
            }
            long moved = move(queue.topic(), task);
            MoveTask now = task.withMoved(task.moved() + moved);
            if (moved == 0) {
                store.update(queue.name(), now.ended(MoveTask.COMPLETED, null));
                return;
            }
            store.update(queue.name(), now);
            proceed(queue, now, task.rate() == 0 ? Duration.ZERO : SECOND);
        } catch (RuntimeException e) {
            log.warn("The dead letters of topic '{}' are not moved any further", queue.topic(), e);
            fail(queue, task);
        }
    }

    /** If this fails too, the task fails when its key is gone. */
    private void fail(Queue queue, MoveTask task) {
        try {
            store.update(queue.name(), task.ended(MoveTask.FAILED, "The queue could not be reached."));
        } catch (RuntimeException e) {
            log.debug("The end of a move is not kept", e);
        }
    }

    /** Those that died again meanwhile stay: else a move might never end. */
    private long move(String topic, MoveTask task) {
        DeadLetters letters = client.deadLetters(topic);
        int size = task.rate() == 0 ? STEP : Math.min(STEP, task.rate());
        long dead = client.stats(topic).dead();
        Instant started = Instant.ofEpochMilli(task.started());
        List<String> ids = letters.list((int) Math.max(0, dead - size), size).stream()
                .filter(letter -> !letter.deadLetteredAt().isAfter(started))
                .map(DeadLetter::id)
                .toList();
        return ids.isEmpty() ? 0 : letters.redrive(ids);
    }
}
