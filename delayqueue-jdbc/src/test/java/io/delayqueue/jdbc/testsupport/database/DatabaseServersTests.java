package io.delayqueue.jdbc.testsupport.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Tests run on the servers that the environment names, and say which they leave out. */
class DatabaseServersTests {

    private static final DatabaseKind WITHOUT_SERVER = DatabaseKind.MYSQL;

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    @Tag("slow")
    void aServerOfTheEnvironmentGetsADatabaseForEachTest(TestDatabase present) throws Exception {
        DatabaseKind kind = present.kind();
        try (DatabaseServers servers = new DatabaseServers(Map.of(kind.variable(), present.url()))) {
            assertThat(servers.isAvailable(kind)).isTrue();
            JdbcClient dropped;
            try (TestDatabase own = servers.newDatabase(kind)) {
                assertThat(own.url()).isNotEqualTo(present.url());
                JdbcClient jdbc = JdbcClient.create(own.withSchema().dataSource());
                assertThat(jdbc.sql("SELECT COUNT(*) FROM delayqueue_message")
                                .query(Long.class)
                                .single())
                        .isZero();
                // it is somebody else's
                assertThat(own.stopServer()).isFalse();
                dropped = JdbcClient.create(new DriverManagerDataSource(own.url()));
                assertThat(dropped.sql("SELECT 1").query(Long.class).single()).isOne();
            }
            assertThatThrownBy(() -> dropped.sql("SELECT 1").query(Long.class).single())
                    .hasMessageContaining("Failed to obtain JDBC Connection");
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aMissingServerIsNamed(CapturedOutput output) throws Exception {
        assumeFalse(EmbeddedMySql.isPresent());
        try (DatabaseServers servers = new DatabaseServers(Map.of())) {
            assertThat(servers.isAvailable(WITHOUT_SERVER)).isFalse();
        }
        assertThat(output).contains("NOT TESTED ON MYSQL").contains(WITHOUT_SERVER.variable());
    }

    @Test
    void aMissingServerThatIsRequiredIsAnError() throws Exception {
        assumeFalse(EmbeddedMySql.isPresent());
        try (DatabaseServers servers =
                new DatabaseServers(Map.of("DELAYQUEUE_REQUIRED_DATABASES", "postgresql,mysql"))) {
            assertThatThrownBy(() -> servers.isAvailable(WITHOUT_SERVER))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("MYSQL, which DELAYQUEUE_REQUIRED_DATABASES requires");
        }
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void aServerThatDoesNotStartIsNamedAndLeftOut(CapturedOutput output) throws Exception {
        try (DatabaseServers servers = new DatabaseServers(
                Map.of("DELAYQUEUE_REQUIRED_DATABASES", "mariadb"), DatabaseServersTests::doesNotStart)) {
            assertThat(servers.isAvailable(DatabaseKind.POSTGRESQL)).isFalse();
            assertThat(servers.isAvailable(DatabaseKind.POSTGRESQL)).isFalse();
            assertThat(servers.isAvailable(DatabaseKind.H2)).isFalse();
        }
        assertThat(output)
                .containsOnlyOnce("NOT TESTED ON POSTGRESQL, which does not start here: java.io.IOException: disk full")
                .containsOnlyOnce(
                        "NOT TESTED ON H2, which does not start here: java.lang.NoClassDefFoundError: driver");
    }

    @Test
    void aServerThatDoesNotStartButIsRequiredIsAnError() throws Exception {
        try (DatabaseServers servers = new DatabaseServers(
                Map.of("DELAYQUEUE_REQUIRED_DATABASES", "postgresql,mariadb"), DatabaseServersTests::doesNotStart)) {
            assertThatThrownBy(() -> servers.isAvailable(DatabaseKind.POSTGRESQL))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("POSTGRESQL, which DELAYQUEUE_REQUIRED_DATABASES requires, does not start")
                    .hasRootCauseMessage("disk full");
        }
    }

    private static DatabaseServer doesNotStart(DatabaseKind kind) throws IOException {
        if (kind == DatabaseKind.H2) {
            throw new NoClassDefFoundError("driver");
        }
        throw new IOException("disk full");
    }
}
