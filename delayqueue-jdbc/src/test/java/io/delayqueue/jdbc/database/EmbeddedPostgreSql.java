package io.delayqueue.jdbc.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;

/**
 * A PostgreSQL of an artifact, with its defaults but for the number of connections; it does not wait for disks, as no test cuts the
 * power. Under root it runs in a user namespace.
 */
record EmbeddedPostgreSql(EmbeddedPostgres postgres) implements DatabaseServer {

    static EmbeddedPostgreSql start() throws IOException {
        return new EmbeddedPostgreSql(EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "300")
                .setServerConfig("fsync", "off")
                .setServerConfig("full_page_writes", "off")
                .setPGStartupWait(Duration.ofMinutes(1))
                .start());
    }

    @Override
    public String adminUrl() {
        return url("postgres");
    }

    @Override
    public String url(String database) {
        return postgres.getJdbcUrl("postgres", database);
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
