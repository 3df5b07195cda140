package io.delayqueue.gateway.sqs.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.sqs.redis.BoundedRedis;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.ReactiveStringRedisTemplate;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Commands of a receive that come late touch neither a longer hold that the client asked for nor that of another receive. */
@ExtendWith(EmbeddedRedisExtension.class)
class DeadHoldsTests {

    private static final long DEAD_LETTERED = 1_000_000;
    private static final Duration SHORT = Duration.ofMillis(50);
    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final Duration DELIVERY = Duration.ofMinutes(10);
    private static final Duration HALF = DELIVERY.dividedBy(2);
    private static final Duration LONG = Duration.ofHours(1);

    private static LettuceConnectionFactory connections;
    private static DeadHolds holds;

    private final String id = UUID.randomUUID().toString();

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        connections = new LettuceConnectionFactory(redis.host(), redis.port());
        connections.afterPropertiesSet();
        connections.start();
        holds = new DeadHolds(
                new BoundedRedis(new ReactiveStringRedisTemplate(connections), "dq", Duration.ofSeconds(20)));
    }

    @AfterAll
    static void stop() {
        connections.destroy();
    }

    private DeadHandle receive() {
        return new DeadHandle("orders", id, DEAD_LETTERED, UUID.randomUUID().toString());
    }

    /** Of the hold, in seconds. */
    private long left() {
        return new StringRedisTemplate(connections).getExpire("dq:gateway:dead:{orders}:" + DEAD_LETTERED + ":" + id);
    }

    @Test
    void oneReceiveHoldsADeadLetter() {
        DeadHandle first = receive();
        DeadHandle second = receive();
        assertThat(holds.hold(first, LONG)).isTrue();
        assertThat(holds.hold(second, LONG)).isFalse();
        assertThat(holds.release(second)).isFalse();
        assertThat(holds.hold(second, LONG)).isFalse();
        DeadHandle later = new DeadHandle("orders", id, DEAD_LETTERED + 1, "later");
        assertThat(holds.free(List.of(first, later)))
                .as("a later dead letter of the id is not hidden")
                .containsExactly(later);
        assertThat(holds.release(first)).isTrue();
        assertThat(holds.free(List.of(first, later))).containsExactly(first, later);
        assertThat(holds.hold(second, LONG)).isTrue();
    }

    /** Deleting frees memory, and needs the hold to last so long. */
    @Test
    void fullRedisProlongsAHold() {
        DeadHandle handle = receive();
        holds.hold(handle, DELIVERY);
        var server = connections.getConnection().serverCommands();
        server.setConfig("maxmemory", "1");
        try {
            assertThat(holds.prolong(handle, LONG)).isTrue();
        } finally {
            server.setConfig("maxmemory", "0");
        }
        assertThat(left()).isBetween(3_000L, 3_600L);
    }

    @Test
    void lateRenewalLeavesTheLongerHoldOfTheClient() {
        DeadHandle handle = receive();
        holds.hold(handle, DELIVERY);
        assertThat(holds.change(handle, LONG)).isTrue();
        assertThat(holds.prolong(handle, DELIVERY)).isTrue();
        assertThat(left()).isBetween(3_000L, 3_600L);
        assertThat(holds.change(handle, DELIVERY)).isTrue();
        assertThat(left()).isBetween(1L, DELIVERY.toSeconds());
        assertThat(holds.prolong(handle, LONG)).isTrue();
        assertThat(left()).isBetween(3_000L, 3_600L);
    }

    /** Nobody waits for the answers of these commands, so they come in any order. */
    @Test
    void lateDeliveryLeavesTheHoldOfTheClient() {
        DeadHandle handle = receive();
        holds.hold(handle, DELIVERY);
        assertThat(holds.change(handle, HALF)).isTrue();
        assertThat(holds.beginVisibilityAsync(handle, LONG)).succeedsWithin(WAIT);
        assertThat(holds.renewAsync(handle, LONG)).succeedsWithin(WAIT);
        assertThat(left()).isBetween(1L, HALF.toSeconds());
    }

    @Test
    void lateDeliveryLeavesTheHoldWhileItIsDeleted() {
        DeadHandle handle = receive();
        holds.hold(handle, DELIVERY);
        assertThat(holds.prolong(handle, LONG)).isTrue();
        assertThat(holds.beginVisibilityAsync(handle, HALF)).succeedsWithin(WAIT);
        assertThat(left()).isBetween(3_000L, 3_600L);
    }

    @Test
    void lateRenewalLeavesTheVisibilityTimeout() {
        DeadHandle handle = receive();
        holds.hold(handle, DELIVERY);
        assertThat(holds.renewAsync(handle, LONG)).succeedsWithin(WAIT);
        assertThat(left()).as("renewed").isBetween(3_000L, 3_600L);
        assertThat(holds.beginVisibilityAsync(handle, HALF)).succeedsWithin(WAIT);
        assertThat(holds.renewAsync(handle, LONG)).succeedsWithin(WAIT);
        assertThat(left()).isBetween(1L, HALF.toSeconds());
        assertThat(holds.prolong(handle, LONG)).as("while it is deleted").isTrue();
        assertThat(left()).isBetween(3_000L, 3_600L);
    }

    @Test
    void lateCommandsLeaveTheHoldOfAnotherReceive() {
        DeadHandle first = receive();
        DeadHandle second = receive();
        holds.hold(first, SHORT);
        await().until(() -> holds.hold(second, LONG));
        assertThat(holds.prolong(first, DELIVERY)).isFalse();
        assertThat(holds.change(first, DELIVERY)).isFalse();
        assertThat(holds.beginVisibilityAsync(first, DELIVERY))
                .succeedsWithin(WAIT)
                .isEqualTo(0L);
        assertThat(holds.release(first)).isFalse();
        assertThat(left()).isBetween(3_000L, 3_600L);
        assertThat(holds.prolong(second, LONG)).isTrue();
    }

    @Test
    void endedHoldStaysEnded() {
        DeadHandle handle = receive();
        holds.hold(handle, SHORT);
        await().until(() -> !holds.prolong(handle, SHORT));
        assertThat(holds.change(handle, LONG)).isFalse();
        assertThat(holds.release(handle)).isFalse();
        assertThat(holds.hold(receive(), LONG)).isTrue();
    }
}
