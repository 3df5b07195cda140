package io.delayqueue.gateway.sqs.dead;

import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;
import reactor.core.publisher.Mono;

/**
 * Which dead letters a client has received: a key each in Redis, which goes by itself when the visibility timeout is over. It only keeps
 * other clients from receiving the dead letter; nothing is lost with it. A call by a receive whose hold is over changes nothing. Safe for
 * use by several threads.
 */
public final class DeadHolds {

    /** By this class' loader: that of the thread may be one of an application that ended. */
    private final RedisScript<Long> script = RedisScript.of(
            new ClassPathResource("/io/delayqueue/gateway/sqs/hold_dead_letter.lua", DeadHolds.class), Long.class);

    private final RedisScript<String> held = RedisScript.of(
            new ClassPathResource("/io/delayqueue/gateway/sqs/held_dead_letters.lua", DeadHolds.class), String.class);

    private final BoundedRedis redis;

    /** Holds in this Redis. */
    public DeadHolds(BoundedRedis redis) {
        this.redis = redis;
    }

    /** Holds a dead letter, unless another receive holds it. */
    boolean hold(DeadHandle handle, Duration time) {
        return run(handle, "begin", time);
    }

    /** Holds it for at least this long from now. False if it is not held any more. */
    boolean prolong(DeadHandle handle, Duration time) {
        return run(handle, "prolong", time);
    }

    /**
     * Holds it for at least this long from now, unless its visibility timeout began or the client changed it before. No thread waits for
     * Redis.
     */
    CompletableFuture<Long> renewAsync(DeadHandle handle, Duration time) {
        return redis.send(command(handle, "renew", time));
    }

    /** Begins its visibility timeout, unless the client changed it before. No thread waits for Redis. */
    CompletableFuture<Long> beginVisibilityAsync(DeadHandle handle, Duration visibility) {
        return redis.send(command(handle, "deliver", visibility));
    }

    /** Holds it for this long from now, also if it was held for longer. False if it is not held any more. */
    boolean change(DeadHandle handle, Duration time) {
        return run(handle, "change", time);
    }

    /** Lets other clients receive it. False if it was not held any more. */
    boolean release(DeadHandle handle) {
        return run(handle, "end", Duration.ZERO);
    }

    /** As {@link #release}, but no thread waits for Redis. */
    CompletableFuture<Long> releaseAsync(DeadHandle handle) {
        return redis.send(command(handle, "end", Duration.ZERO));
    }

    /** Those of the handles whose dead letters no receive holds. */
    List<DeadHandle> free(List<DeadHandle> handles) {
        List<String> keys = handles.stream().map(this::key).toList();
        String answer = redis.await(r -> r.execute(held, keys).next());
        List<DeadHandle> free = new ArrayList<>();
        for (int i = 0; i < handles.size(); i++) {
            if (answer != null && answer.charAt(i) == '0') {
                free.add(handles.get(i));
            }
        }
        return free;
    }

    private boolean run(DeadHandle handle, String action, Duration time) {
        Long changed = redis.await(command(handle, action, time));
        return changed != null && changed == 1;
    }

    private Function<ReactiveStringRedisTemplate, Mono<Long>> command(DeadHandle handle, String action, Duration time) {
        return r -> r.execute(
                        script, List.of(key(handle)), List.of(handle.hold(), action, Long.toString(time.toMillis())))
                .next();
    }

    /** A later dead letter of the same id has a hold of its own. The tag keeps the keys of a topic on one node of a Cluster. */
    private String key(DeadHandle handle) {
        return redis.key("dead:{" + handle.topic() + "}:" + handle.deadLetteredMicros() + ":" + handle.id());
    }
}
