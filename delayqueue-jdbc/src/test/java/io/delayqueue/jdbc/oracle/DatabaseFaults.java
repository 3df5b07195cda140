package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.testsupport.FrozenProcess;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Faults of a run's database. Each shows that it struck, and ends with instances that go on. */
record DatabaseFaults(Run run) {

    private static final String AWAY = "database away";

    /** Cuts all connections, those of the observer, too. */
    void cutConnections() throws Exception {
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

    /** PostgreSQL lets nobody in for a while. MariaDB is stopped, unless the environment names it: then its connections are cut. */
    void takeAway() throws Exception {
        takeAway(Faults.LONG);
    }

    void takeAway(Duration time) throws Exception {
        run.strike(AWAY, null, () -> beAway(() -> run.play(time)));
    }

    /** Takes the database away within another fault. */
    void takeAwayDuring(Run.Harm meanwhile) throws Exception {
        run.cause(AWAY, null, () -> beAway(meanwhile));
    }

    private void beAway(Run.Harm meanwhile) throws Exception {
        if (run.database.kind() == DatabaseKind.POSTGRESQL) {
            refuseConnections(meanwhile);
        } else if (run.database.stopServer()) {
            try {
                nobodySeesTheDatabase(meanwhile);
            } finally {
                run.database.restartServer();
            }
        } else {
            cutOfMariaDb();
            meanwhile.cause();
        }
        // pools may need a while to find it
        int looks = run.looks();
        Instances.await(Duration.ofSeconds(60)).until(() -> run.looks() > looks);
    }

    private void refuseConnections(Run.Harm meanwhile) throws Exception {
        String name = run.database.url().replaceAll(".*/([^?]+).*", "$1");
        administer("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false");
        try {
            administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'");
            nobodySeesTheDatabase(meanwhile);
        } finally {
            administer("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true");
        }
    }

    private void nobodySeesTheDatabase(Run.Harm meanwhile) throws Exception {
        int looks = run.looks();
        meanwhile.cause();
        assertThat(run.looks()).as("looks at a database that is away").isLessThanOrEqualTo(looks + 1);
    }

    private void administer(String sql) throws SQLException {
        String url = run.database.url().replaceAll("/[^/?]+(\\?|$)", "/postgres$1");
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * One of PostgreSQL's processes is killed. It ends all others, since the memory that they share may be damaged, and recovers from its
     * log. Elsewhere the database goes away.
     */
    void crash() throws Exception {
        if (run.database.kind() != DatabaseKind.POSTGRESQL
                || run.database.mainProcess().isEmpty()) {
            takeAway();
            return;
        }
        run.strike("database crashed", null, () -> {
            long killed = checkpointer();
            assertThat(ProcessHandle.of(killed).orElseThrow().destroyForcibly()).isTrue();
            Instances.await(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .untilAsserted(() -> assertThat(checkpointer())
                            .as("process that recovers")
                            .isNotEqualTo(killed));
        });
    }

    private long checkpointer() {
        Long pid = run.jdbc.queryForObject(
                "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'", Long.class);
        return Objects.requireNonNull(pid);
    }

    /** Every call to the database waits, longer than leases of messages; then all go on. One that the environment names goes away. */
    void freeze() throws Exception {
        Optional<ProcessHandle> server = run.database.mainProcess();
        if (server.isEmpty()) {
            takeAway();
            return;
        }
        run.strike("database frozen", null, () -> {
            try {
                FrozenProcess.freezeWithChildren(server.get());
                nobodySeesTheDatabase(() -> run.play(Faults.LONG));
            } finally {
                FrozenProcess.thawWithChildren(server.get());
            }
        });
    }
}
