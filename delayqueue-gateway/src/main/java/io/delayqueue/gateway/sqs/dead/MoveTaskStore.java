package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Moves of dead letters by queue, in Redis: the last ten of each queue, and those that are not ended. A key of each move tells the
 * instance that moves, and goes by itself if that dies. Another one is the request to cancel. Safe for use by several threads.
 */
public final class MoveTaskStore {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final TypeReference<List<MoveTask>> LIST = new TypeReference<>() {};
    private static final int KEPT = 10;
    private static final Duration ALIVE = Duration.ofSeconds(30);
    private static final Duration CANCEL_KEPT = Duration.ofHours(1);
    private static final long LOOK_AGAIN_NANOS = Duration.ofMillis(20).toNanos();

    private final BoundedRedis redis;
    private final String moves;
    private final String unended;
    private final String instance = UUID.randomUUID().toString();
    private final long longestChangeNanos;

    /** A store in this Redis. */
    public MoveTaskStore(BoundedRedis redis) {
        // enough for two commands of a process that may pause; behind one that died, a longer wait would hold threads
        this(redis, Duration.ofSeconds(1));
    }

    /** @param longestChange time that a begin waits for an instance in charge that has no move */
    MoveTaskStore(BoundedRedis redis, Duration longestChange) {
        this.redis = redis;
        this.longestChangeNanos = longestChange.toNanos();
        this.moves = redis.key("moves");
        this.unended = redis.key("moves-running");
    }

    /** The last moves of a queue, latest first. */
    List<MoveTask> list(String queue) {
        String json = redis.await(r -> r.<String, String>opsForHash().get(moves, queue));
        return new ArrayList<>(json == null ? List.of() : MAPPER.readValue(json, LIST));
    }

    /** The move of a queue that is not ended. */
    Optional<MoveTask> running(String queue) {
        return list(queue).stream().filter(MoveTask::isRunning).findFirst();
    }

    /**
     * Keeps a new move, of which this instance takes charge. False if there is one already: one at a time for each queue.
     *
     * @throws SqsException that the service is unavailable, if another instance is in charge of the queue and has no move
     */
    boolean begin(String queue, MoveTask task) {
        if (!takesChargeSoon(queue)) {
            return false;
        }
        if (running(queue).isPresent()) {
            handOver(queue);
            return false;
        }
        redis.await(r -> r.<String, String>opsForHash().put(unended, queue, task.id()));
        List<MoveTask> tasks = list(queue);
        tasks.add(0, task);
        put(queue, tasks.subList(0, Math.min(KEPT, tasks.size())));
        return true;
    }

    /**
     * Takes charge of a queue. False if the queue has a move. An instance in charge without a move is just beginning or ending one, so
     * this waits for it: clients see the end of a move a few milliseconds before the charge ends.
     */
    private boolean takesChargeSoon(String queue) {
        long begun = System.nanoTime();
        while (!takeCharge(queue)) {
            if (running(queue).isPresent()) {
                return false;
            }
            if (System.nanoTime() - begun > longestChangeNanos
                    || Thread.currentThread().isInterrupted()) {
                throw SqsErrors.unavailable();
            }
            LockSupport.parkNanos(LOOK_AGAIN_NANOS);
        }
        return true;
    }

    /** Queues with moves that are not ended. */
    Map<String, String> unended() {
        Map<String, String> all = redis.await(r ->
                r.<String, String>opsForHash().entries(unended).collectMap(Map.Entry::getKey, Map.Entry::getValue));
        return all == null ? new HashMap<>() : all;
    }

    /** A queue turned out to have no move. */
    void forget(String queue) {
        redis.await(r -> r.<String, String>opsForHash().remove(unended, queue));
    }

    /** Takes charge of a queue's move if no living instance has. */
    boolean takeCharge(String queue) {
        return Boolean.TRUE.equals(redis.await(r -> r.opsForValue().setIfAbsent(charge(queue), instance, ALIVE)));
    }

    /**
     * Whether this instance is still in charge; if so, for some time on. Two at once for a moment do no harm: each dead letter moves
     * once.
     */
    boolean keepCharge(String queue) {
        String holder = redis.await(r -> r.opsForValue().get(charge(queue)));
        if (holder == null) {
            return takeCharge(queue);
        }
        return holder.equals(instance)
                && Boolean.TRUE.equals(redis.await(r -> r.opsForValue().setIfPresent(charge(queue), instance, ALIVE)));
    }

    /** Another instance may go on. */
    void handOver(String queue) {
        redis.await(r -> r.delete(charge(queue)));
    }

    /** Keeps the progress of a move, or its end. */
    void update(String queue, MoveTask task) {
        List<MoveTask> tasks = list(queue);
        tasks.replaceAll(kept -> kept.id().equals(task.id()) ? task : kept);
        put(queue, tasks);
        if (!task.isRunning()) {
            forget(queue);
            handOver(queue);
        }
    }

    void cancel(MoveTask task) {
        redis.await(r -> r.opsForValue().set(cancelled(task), "", CANCEL_KEPT));
    }

    boolean isCancelled(MoveTask task) {
        @Nullable String request = redis.await(r -> r.opsForValue().get(cancelled(task)));
        return request != null;
    }

    private void put(String queue, List<MoveTask> tasks) {
        String json = MAPPER.writeValueAsString(tasks);
        redis.await(r -> r.<String, String>opsForHash().put(moves, queue, json));
    }

    private String charge(String queue) {
        return redis.key("move:" + queue);
    }

    private String cancelled(MoveTask task) {
        return redis.key("move-cancelled:" + task.id());
    }
}
