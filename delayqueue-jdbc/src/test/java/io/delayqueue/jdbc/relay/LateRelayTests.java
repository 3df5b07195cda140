package io.delayqueue.jdbc.relay;

import static io.delayqueue.jdbc.relay.OutboxFixture.ENDED;
import static io.delayqueue.jdbc.relay.OutboxFixture.TOPIC;
import static io.delayqueue.jdbc.relay.OutboxFixture.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.Subscription;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.Everyday;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A delay counts from the call, however late the message is sent. */
@Everyday(DatabaseKind.H2)
class LateRelayTests {

    private static final long HOUR_MICROS = TimeUnit.HOURS.toMicros(1);

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase
    void theTimeThatARelayIsLateIsPartOfTheDelay(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        Instant written = redisTime();
        // scheduled an hour ago, with delays of three hours and of ten minutes
        message(rows, "waiting", "aaaaaaaa", 2 * HOUR_MICROS);
        message(rows, "overdue", "bbbbbbbb", -50 * 60_000_000L);
        message(rows, "moved", "cccccccc", 2 * HOUR_MICROS);
        rows.append("moved", "Rrrrrrrrr:d" + (rows.now() + 5 * HOUR_MICROS) + ";");
        message(rows, "instant", "dddddddd", 0);
        Instant instant = Instant.parse("2100-01-01T00:00:00Z");
        rows.set("dddddddd", "due", ChronoUnit.MICROS.between(Instant.EPOCH, instant));
        rows.set("dddddddd", "due_is_instant", 1);
        Instant before = redisTime();
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        Instant after = redisTime();
        Duration took = Duration.between(written, after);

        // both clocks are this machine's
        assertThat(find("waiting").due()).isCloseTo(before.plus(2, ChronoUnit.HOURS), within(took.plusSeconds(2)));
        assertThat(find("moved").due()).isCloseTo(before.plus(5, ChronoUnit.HOURS), within(took.plusSeconds(2)));
        assertThat(find("instant").due()).isEqualTo(instant);
        assertThat(find("overdue").state()).isEqualTo(MessageState.READY);
        // no earlier than it was sent: the time to live counts from here
        assertThat(find("overdue").due()).isBetween(before, after);
    }

    @EachDatabase
    void theTimeToLiveCountsFromTheDueTime(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        // due ten minutes ago
        message(rows, "expired", "aaaaaaaa", -600_000_000);
        rows.set("aaaaaaaa", "time_to_live", 300_000_000L);
        message(rows, "living", "bbbbbbbb", -600_000_000);
        rows.set("bbbbbbbb", "time_to_live", HOUR_MICROS);
        message(rows, "waiting", "cccccccc", HOUR_MICROS);
        rows.set("cccccccc", "time_to_live", HOUR_MICROS);
        Set<String> delivered = ConcurrentHashMap.newKeySet();
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }

        Subscription subscription = redis.client.subscribe(
                TOPIC, ConsumerOptions.defaults(), (message, delivery) -> delivered.add(message.id()));
        subscription.start();
        await().until(() -> redis.client.stats(TOPIC).pending().ready() == 0
                && redis.client.stats(TOPIC).inFlight() == 0);
        subscription.stop(Duration.ofMinutes(1));

        assertThat(delivered).containsExactly("living");
        assertThat(redis.client.stats(TOPIC).totals().expired()).isEqualTo(1);
    }

    private static void message(OutboxFixture rows, String id, String generation, long dueInMicros) {
        rows.message(id, generation, dueInMicros, new byte[0]);
        rows.row(id, "S" + generation + ";", 1, 1, ENDED - HOUR_MICROS);
    }

    private static MessageInfo find(String id) {
        return redis.client.find(TOPIC, id).orElseThrow();
    }

    private static Instant redisTime() throws Exception {
        long micros = redis.outbox.timeMicros().get(1, TimeUnit.MINUTES);
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }
}
