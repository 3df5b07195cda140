package io.delayqueue.jdbc.testsupport.database;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A PostgreSQL of an artifact, with its defaults but for the number of connections; it does not wait for disks, as no test cuts the
 * power. Under root it runs in a user namespace.
 */
record EmbeddedPostgreSql(EmbeddedPostgres postgres) implements DatabaseServer {

    static EmbeddedPostgreSql start() throws IOException {
        return new EmbeddedPostgreSql(EmbeddedPostgres.builder()
                .setServerConfig("max_connections", "300")
                .setServerConfig("fsync", "off")
                // or a crash of its processes would lose commits: the builder's default is off
                .setServerConfig("synchronous_commit", "on")
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
    public Optional<ProcessHandle> mainProcess() throws IOException {
        String data = JdbcClient.create(new DriverManagerDataSource(adminUrl()))
                .sql("SHOW data_directory")
                .query(String.class)
                .single();
        String pid = Files.readAllLines(Path.of(data, "postmaster.pid")).get(0);
        return ProcessHandle.of(Long.parseLong(pid.strip()));
    }

    @Override
    public void close() throws IOException {
        postgres.close();
    }
}
