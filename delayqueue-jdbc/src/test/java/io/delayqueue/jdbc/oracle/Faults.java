package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.database.DatabaseKind;
import io.delayqueue.jdbc.oracle.Note.What;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Faults of a run. Each shows that it struck, and ends with instances that go on. */
record Faults(Run run) {

    /** Longer than send timeouts, leases of messages, and time-outs of commands. */
    private static final Duration LONG = Duration.ofMillis(3_500);

    void any(Random random) throws Exception {
        int instance = random.nextInt(run.instances.members().size());
        switch (random.nextInt(7)) {
            case 0 -> cutDatabaseConnections();
            case 1 -> killRedis();
            case 2 -> pauseRedis();
            case 3 -> freezeInstance(instance);
            case 4 -> takeDatabaseAway();
            case 5 -> emptyRedis();
            default -> {
                killInstance(instance);
                run.instances.start(1);
            }
        }
    }

    /** Those of the observer, too. */
    void cutDatabaseConnections() throws Exception {
        int instances = run.instances.members().size();
        run.strike(
                "database connections cut",
                null,
                () -> assertThat(run.database.kind() == DatabaseKind.MARIADB ? cutOfMariaDb() : cutOfPostgreSql())
                        .as("connections cut")
                        .isGreaterThanOrEqualTo(instances));
    }

    private int cutOfPostgreSql() {
        Integer cut = run.jdbc.queryForObject(
                "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()",
                Integer.class);
        return cut == null ? 0 : cut;
    }

    private int cutOfMariaDb() {
        List<Map<String, Object>> connections = run.jdbc.queryForList(
                "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()");
        connections.forEach(connection -> run.jdbc.execute("KILL " + connection.get("id")));
        return connections.size();
    }

    /** Nobody gets a connection for a while; a MariaDB has no way to refuse those of one database, so there they are cut. */
    void takeDatabaseAway() throws Exception {
        if (run.database.kind() == DatabaseKind.MARIADB) {
            cutDatabaseConnections();
            return;
        }
        String name = run.database.url().replaceAll(".*/([^?]+).*", "$1");
        run.strike("database away", null, () -> {
            administer("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
            try {
                administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
                int looks = run.sightings();
                run.play(LONG);
                assertThat(run.sightings())
                        .as("looks at a database that is away")
                        .isLessThanOrEqualTo(looks + 1);
            } finally {
                administer("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
            }
        });
    }

    private void administer(String sql) throws SQLException {
        String url = run.database.url().replaceAll("/[^/?]+(\\?|$)", "/postgres$1");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** What Redis had comes back from the journal. */
    void emptyRedis() throws Exception {
        run.strike(Strike.EMPTIED, null, () -> {
            Instances.await(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(run.scheduled())
                            .as("messages that will be lost")
                            .isGreaterThan(10));
            run.emptyRedis();
            Set<String> noticed = new HashSet<>();
            Instances.await(Duration.ofSeconds(60)).until(() -> {
                noticed.addAll(run.losses());
                return noticed.containsAll(Instance.TOPICS);
            });
            Instances.await(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(run.losses()).isEmpty());
        });
    }

    void killRedis() throws Exception {
        long before = run.redis.pid();
        run.strike("Redis killed", null, () -> {
            run.redis.kill();
            run.play(Duration.ofMillis(300));
            run.redis.restart();
        });
        assertThat(run.redis.pid()).isNotEqualTo(before);
    }

    void pauseRedis() throws Exception {
        run.strike("Redis paused", null, () -> {
            run.redis.pause();
            long handled = run.instances.count(What.ENDED);
            run.play(LONG);
            // those that were claimed before
            assertThat(run.instances.count(What.ENDED) - handled).isLessThan(100);
            run.redis.resume();
        });
    }

    void freezeInstance(int index) throws Exception {
        Instances.Member frozen = run.instances.members().get(index);
        run.strike("frozen", frozen, () -> {
            frozen.signal("STOP");
            Instances.await(Duration.ofSeconds(30)).until(frozen::isStopped);
            // notes that it wrote before are still being read
            long before = run.instances.awaitNoMore(frozen.name(), What.RETURNED);
            run.play(LONG);
            assertThat(run.instances.count(frozen.name(), What.RETURNED))
                    .as("transactions of a frozen instance")
                    .isEqualTo(before);
            frozen.signal("CONT");
        });
    }

    void killInstance(int index) throws Exception {
        Instances.Member killed = run.instances.members().get(index);
        run.kill(killed);
        assertThat(killed.process().isAlive()).isFalse();
        run.instances.awaitProgress();
    }
}
