package io.delayqueue.jdbc.relay;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.relay.RelayProcess.Step;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Relays in processes of their own are killed, one at each step. */
class RelayCrashTests {

    private static final int BATCH = 100;

    /** A relay sends one, and has taken the next one; a process that recorded one has taken three. */
    private static final int BATCHES = 12;

    @RegisterExtension
    private static final RedisFixture redis = new RedisFixture();

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void rowsOfRelaysThatWereKilledAreSentOnce(TestDatabase database) throws Exception {
        OutboxFixture rows = new OutboxFixture(database);
        rows.scheduled(BATCHES * BATCH, "m");
        List<RelayProcesses.One> relays = new ArrayList<>();
        try (RelayProcesses processes = new RelayProcesses(database, redis)) {
            List<Step> steps =
                    Stream.of(Step.values()).filter(step -> step != Step.NONE).toList();
            for (Step step : steps) {
                relays.add(processes.start(step, Duration.ofMinutes(10), BATCH));
            }
            for (int i = 0; i < steps.size(); i++) {
                relays.get(i).awaitLine(steps.get(i).name());
            }
            for (RelayProcesses.One relay : relays) {
                relay.kill();
            }
        }
        // two batches were sent and not recorded, another one was both
        assertThat(redis.accepted()).isEqualTo(3 * BATCH);
        assertThat(rows.outboxRows()).isEqualTo((BATCHES - 1) * BATCH);

        rows.freeRows();
        try (Relay relay = new Relay(rows.database, redis.outbox, OutboxListener.NONE, OutboxSettings.DEFAULTS)) {
            relay.runOnce();
        }
        assertThat(rows.outboxRows()).isZero();
        assertThat(redis.outbox.applied).hasSize((BATCHES - 3) * BATCH);
        assertThat(redis.accepted()).isEqualTo(BATCHES * BATCH);
        assertThat(rows.statuses()).isEqualTo(Map.of("SCHEDULED", BATCHES * BATCH));
    }
}
