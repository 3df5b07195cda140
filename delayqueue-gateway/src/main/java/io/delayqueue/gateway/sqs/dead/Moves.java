package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueException;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.queue.QueueNames;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Moves dead letters back to their queues, in bounded steps, the longest dead first. A move whose instance ended is continued by another
 * one, or by the next. Safe for use by several threads.
 */
public final class Moves implements SmartLifecycle {

    /** Moves of one instance at once: others wait until it, or another instance, has ended one. */
    private static final int MAX_MOVES = 100;

    private static final Logger log = LoggerFactory.getLogger(Moves.class);
    private static final int STEP = 500;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final DelayQueueClient client;
    private final QueueNames names;
    private final MoveTaskStore store;
    private final DeadTimer timer;

    /** Ids of the moves that this instance carries out, by queue. */
    private final Map<String, String> inCharge = new ConcurrentHashMap<>();

    private final Set<String> paused = ConcurrentHashMap.newKeySet();
    private volatile boolean running;

    /** Moves of a client's dead letters. */
    public Moves(DelayQueueClient client, QueueNames names, MoveTaskStore store, DeadTimer timer) {
        this.client = client;
        this.names = names;
        this.store = store;
        this.timer = timer;
    }

    /**
     * Begins a move.
     *
     * @return false if the queue has one already
     * @throws SqsException if this instance has too many
     */
    boolean begin(String queue, MoveTask task) {
        if (inCharge.size() >= MAX_MOVES) {
            throw new SqsException(
                    SqsError.OVER_LIMIT,
                    MAX_MOVES + " message move tasks run in this instance. Repeat the request later.");
        }
        if (!store.begin(queue, task)) {
            return false;
        }
        proceed(queue, task);
        return true;
    }

    private void proceed(String queue, MoveTask task) {
        inCharge.put(queue, task.id());
        next(queue, task, Duration.ZERO);
    }

    private void next(String queue, MoveTask task, Duration pause) {
        timer.after(pause, () -> step(queue, task));
    }

    /** A step that comes late, of a move that this instance no longer carries out, does nothing. */
    void step(String queue, MoveTask task) {
        if (!running || !task.id().equals(inCharge.get(queue))) {
            return;
        }
        try {
            if (!store.keepCharge(queue)) {
                inCharge.remove(queue, task.id());
                return;
            }
            MoveTask now = moved(queue, task);
            store.update(queue, now);
            paused.remove(queue);
            if (now.isRunning()) {
                boolean slowly = task.rate() > 0 || now.moved() == task.moved();
                next(queue, now, slowly ? SECOND : Duration.ZERO);
            } else {
                inCharge.remove(queue, task.id());
            }
        } catch (RuntimeException e) {
            failed(queue, task, e);
        }
    }

    private MoveTask moved(String queue, MoveTask task) {
        if (store.isCancelled(task)) {
            return task.ended(MoveTask.CANCELLED, null);
        }
        List<String> ids = longestDead(names.topic(queue), task);
        if (ids.isEmpty()) {
            return task.ended(MoveTask.COMPLETED, null);
        }
        return task.withMoved(
                task.moved() + client.deadLetters(names.topic(queue)).redrive(ids));
    }

    /** Redis' outages end: the move goes on then. */
    private void failed(String queue, MoveTask task, RuntimeException failure) {
        boolean outage = failure instanceof DelayQueueException
                || failure instanceof SqsException e && e.error() == SqsError.SERVICE_UNAVAILABLE;
        if (outage) {
            if (paused.add(queue)) {
                log.warn("The move of dead letters of queue '{}' pauses until Redis answers", queue, failure);
            }
            next(queue, task, AFTER_FAILURE);
            return;
        }
        log.error("The move of dead letters of queue '{}' failed and has ended", queue, failure);
        inCharge.remove(queue, task.id());
        try {
            store.update(queue, task.ended(MoveTask.FAILED, "The move failed: see the log of the gateway."));
        } catch (RuntimeException e) {
            log.debug("The end of a move is not kept", e);
        }
    }

    /** Those that were dead-lettered again meanwhile stay: else a move might never end. */
    private List<String> longestDead(String topic, MoveTask task) {
        DeadLetters letters = client.deadLetters(topic);
        int size = task.rate() == 0 ? STEP : Math.min(STEP, task.rate());
        Instant started = Instant.ofEpochMilli(task.started());
        int offset = (int) Math.max(0, client.stats(topic).dead() - size);
        while (true) {
            List<DeadLetter> page = letters.list(offset, size);
            List<String> ids = page.stream()
                    .filter(letter -> !letter.deadLetteredAt().isAfter(started))
                    .map(DeadLetter::id)
                    .toList();
            if (!ids.isEmpty() || page.isEmpty()) {
                return ids;
            }
            // large payloads make a page shorter
            offset += page.size();
        }
    }

    /** Takes charge of moves whose instance ended. */
    private void look() {
        try {
            for (String queue : store.unended().keySet()) {
                if (inCharge.size() < MAX_MOVES && !inCharge.containsKey(queue) && store.takeCharge(queue)) {
                    store.running(queue).ifPresentOrElse(task -> proceed(queue, task), () -> {
                        store.forget(queue);
                        store.handOver(queue);
                    });
                }
            }
        } catch (RuntimeException e) {
            log.debug("Moves of dead letters are not looked for", e);
        } finally {
            if (running) {
                timer.after(LOOK, this::look);
            }
        }
    }

    @Override
    public void start() {
        running = true;
        inCharge.clear();
        timer.after(Duration.ZERO, this::look);
    }

    /** Other instances go on with the moves. */
    @Override
    public void stop() {
        running = false;
        try {
            inCharge.keySet().forEach(store::handOver);
        } catch (RuntimeException e) {
            log.debug("Other instances take charge of moves a little later", e);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }
}
