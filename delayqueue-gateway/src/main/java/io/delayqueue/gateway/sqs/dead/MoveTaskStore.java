package io.delayqueue.gateway.sqs.dead;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.core.StringRedisTemplate;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * Moves of dead letters by queue, in Redis: the last ten of each, a key that goes by itself if the instance that moves dies, and the wish
 * to cancel. Safe for use by several threads.
 */
public final class MoveTaskStore {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final TypeReference<List<MoveTask>> LIST = new TypeReference<>() {};
    private static final int KEPT = 10;
    private static final Duration ALIVE = Duration.ofSeconds(60);
    private static final Duration CANCEL_KEPT = Duration.ofHours(1);

    private final StringRedisTemplate redis;
    private final String prefix;

    /**
     * A store.
     *
     * @param keyPrefix prefix of the delay queue's keys
     */
    public MoveTaskStore(StringRedisTemplate redis, String keyPrefix) {
        this.redis = redis;
        this.prefix = keyPrefix + ":gateway:";
    }

    /** The last moves of a queue, latest first. One whose instance died has failed. */
    List<MoveTask> list(String queue) {
        String json = redis.<String, String>opsForHash().get(prefix + "moves", queue);
        List<MoveTask> tasks = new ArrayList<>(json == null ? List.of() : MAPPER.readValue(json, LIST));
        if (tasks.stream().anyMatch(MoveTask::isRunning)) {
            String running = redis.opsForValue().get(runningKey(queue));
            tasks.replaceAll(task -> task.isRunning() && !task.id().equals(running)
                    ? task.ended(MoveTask.FAILED, "The instance of the gateway that moved the messages ended.")
                    : task);
        }
        return tasks;
    }

    /** Whether a new move may begin: one at a time for each queue. */
    boolean begin(String queue, MoveTask task) {
        if (!Boolean.TRUE.equals(redis.opsForValue().setIfAbsent(runningKey(queue), task.id(), ALIVE))) {
            return false;
        }
        List<MoveTask> tasks = list(queue);
        tasks.add(0, task);
        put(queue, tasks.subList(0, Math.min(KEPT, tasks.size())));
        return true;
    }

    /** Keeps the progress of a move. */
    void update(String queue, MoveTask task) {
        if (task.isRunning()) {
            redis.opsForValue().set(runningKey(queue), task.id(), ALIVE);
        }
        List<MoveTask> tasks = list(queue);
        tasks.replaceAll(kept -> kept.id().equals(task.id()) ? task : kept);
        put(queue, tasks);
        if (!task.isRunning()) {
            redis.delete(runningKey(queue));
        }
    }

    void cancel(MoveTask task) {
        redis.opsForValue().set(cancelKey(task), "", CANCEL_KEPT);
    }

    boolean isCancelled(MoveTask task) {
        @Nullable String cancelled = redis.opsForValue().get(cancelKey(task));
        return cancelled != null;
    }

    private void put(String queue, List<MoveTask> tasks) {
        redis.<String, String>opsForHash().put(prefix + "moves", queue, MAPPER.writeValueAsString(tasks));
    }

    private String runningKey(String queue) {
        return prefix + "move:" + queue;
    }

    private String cancelKey(MoveTask task) {
        return prefix + "move-cancelled:" + task.id();
    }
}
