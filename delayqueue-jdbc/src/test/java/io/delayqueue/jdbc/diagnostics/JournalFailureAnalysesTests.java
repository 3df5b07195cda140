package io.delayqueue.jdbc.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.EachDatabase;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.spring.annotation.DelayQueueListener;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** Output of an application with every auto-configuration whose journal fails to start. No Redis is needed. */
@ExtendWith(OutputCaptureExtension.class)
class JournalFailureAnalysesTests {

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void missingTables(TestDatabase database, CapturedOutput output) {
        fails(
                Application.class,
                "--spring.datasource.url=" + database.url(),
                "--delayqueue.journal.initialize-schema=never",
                "--delayqueue.journal.table-prefix=app_");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The journal's tables are missing, such as app_message.")
                .contains("Set delayqueue.journal.initialize-schema=always")
                .contains(
                        "classpath:io/delayqueue/jdbc/schema-" + database.kind().platform() + ".sql")
                .contains("with app_ for delayqueue_");
    }

    @EachDatabase({DatabaseKind.POSTGRESQL, DatabaseKind.MARIADB})
    void tablesOfAnOlderVersion(TestDatabase database, CapturedOutput output) {
        DataSource dataSource = database.withSchema().dataSource();
        JdbcClient.create(dataSource)
                .sql("UPDATE delayqueue_schema SET version = 0")
                .update();
        fails(
                Application.class,
                "--spring.datasource.url=" + database.url(),
                "--delayqueue.journal.initialize-schema=never");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The journal's tables have version 0 (table delayqueue_schema), but version 1 is needed.")
                .contains("Migrate them to what classpath:io/delayqueue/jdbc/schema-"
                        + database.kind().platform() + ".sql creates.");
    }

    /** Relays of both would send all rows, each to its own topics. */
    @EachDatabase
    void tablesOfAnotherKeyPrefix(TestDatabase database, CapturedOutput output) {
        database.withSchema();
        String[] common = {
            "--spring.datasource.url=" + database.url(), "--delayqueue.journal.initialize-schema=never",
        };
        start(Application.class, with(common, "--delayqueue.key-prefix=shop")).close();
        start(Application.class, with(common, "--delayqueue.key-prefix=shop")).close();
        fails(Application.class, with(common, "--delayqueue.key-prefix=billing"));

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "The journal's tables belong to the key prefix 'shop' (table delayqueue_lease, row 'key-prefix'),"
                                + " but this application has 'billing'.")
                .contains("Set delayqueue.key-prefix='shop'")
                .contains("delayqueue.journal.table-prefix");
    }

    @Test
    void unsupportedDatabase(CapturedOutput output) {
        fails(Application.class, "--spring.datasource.url=jdbc:hsqldb:mem:unsupported");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "The journal works with PostgreSQL, MySQL, MariaDB, Oracle and H2, but the DataSource's database is")
                .contains("delayQueueJournalDataSource")
                .contains("delayqueue.journal.enabled=false");
    }

    @Test
    void severalDataSources(CapturedOutput output) {
        fails(TwoDataSources.class);

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains(
                        "The journal needs one DataSource, but there are several and none is primary: orders, customers.")
                .contains("as @Primary")
                .contains("'delayQueueJournalDataSource'");
    }

    @Test
    void noTransactionManager(CapturedOutput output) {
        fails(
                WithListener.class,
                "--spring.datasource.url=jdbc:h2:mem:noTransactionManager",
                "--spring.autoconfigure.exclude="
                        + "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("The journal needs a transaction manager of its DataSource, but there is no"
                        + " transaction manager at all.")
                .contains("Define a JdbcTransactionManager");
    }

    @Test
    void noTransactionManagerOfTheJournalsDataSource(CapturedOutput output) {
        fails(OtherManager.class, "--spring.datasource.url=jdbc:h2:mem:otherManager");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("the existing ones have other resources: elsewhere.");
    }

    @Test
    void severalTransactionManagersOfTheJournalsDataSource(CapturedOutput output) {
        fails(TwoManagers.class, "--spring.datasource.url=jdbc:h2:mem:twoManagers");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("there are several and none is primary: one, two.")
                .contains("'delayQueueJournalTransactionManager'");
    }

    @Test
    void idempotentListenerWithoutAJournal(CapturedOutput output) {
        fails(
                WithListener.class,
                "--spring.datasource.url=jdbc:h2:mem:withoutJournal",
                "--delayqueue.journal.enabled=false");

        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("Attribute: idempotent")
                .contains("don't switch delayqueue.journal.enabled off");
    }

    private static String[] with(String[] arguments, String more) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add(more);
        return all.toArray(String[]::new);
    }

    private static void fails(Class<?> application, String... arguments) {
        assertThatException().isThrownBy(() -> start(application, arguments));
    }

    private static ConfigurableApplicationContext start(Class<?> application, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--spring.data.redis.port=1");
        all.add("--delayqueue.command-timeout=100ms");
        all.add("--spring.flyway.enabled=false");
        all.add("--spring.liquibase.enabled=false");
        SpringApplication started = new SpringApplication(application);
        started.setWebApplicationType(WebApplicationType.NONE);
        return started.run(all.toArray(String[]::new));
    }

    private static DataSource h2(String name) {
        return new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class TwoDataSources {

        @Bean
        DataSource orders() {
            return h2("orders");
        }

        @Bean
        DataSource customers() {
            return h2("customers");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class WithListener {

        @DelayQueueListener(topic = "orders", idempotent = true)
        void on(String order) {}
    }

    static class OtherManager extends WithListener {

        @Bean
        PlatformTransactionManager elsewhere() {
            return new JdbcTransactionManager(h2("elsewhere"));
        }
    }

    static class TwoManagers extends WithListener {

        @Bean
        PlatformTransactionManager one(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }

        @Bean
        PlatformTransactionManager two(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }
}
