package io.delayqueue.jdbc.oracle;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.spring.DelayQueueMessage;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.lettuce.core.RedisClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * An instance of an application, in a process of its own: a listener, and threads that make {@link RandomTransactions}. Reads commands from
 * its input, and exits at its end.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Instance {

    /** Its messages may be handled again after a fault. */
    static final String NOTES = "notes";

    /** Its listener is idempotent, and has its effect in the database. */
    static final String EFFECTS = "effects";

    static final List<String> TOPICS = List.of(NOTES, EFFECTS);

    /** How ids of the topic with effects begin. */
    static final String OF_EFFECTS = "e";

    static final String EFFECTS_TABLE =
            "CREATE TABLE effects (version VARCHAR(50) NOT NULL, attempt INT NOT NULL, instance VARCHAR(50) NOT NULL)";

    /** Line of its input that starts its threads. */
    static final String WORK = "work";

    /** Line of its input that ends them. */
    static final String REST = "rest";

    /** Line of its input that asks for its calendar. */
    static final String CALENDAR = "calendar";

    /** Property: how Lettuce finds Redis. */
    static final String REDIS = "oracle.redis";

    /** Property: the seed of its transactions. */
    static final String SEED = "oracle.seed";

    private static final int THREADS = 3;

    /** When this thread was given the message that it handles. */
    private static final ThreadLocal<Long> TAKEN = ThreadLocal.withInitial(Log::micros);

    /** Arguments: name, then properties. */
    public static void main(String[] args) throws Exception {
        Log log = new Log(System.out);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(Instance.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.flyway.enabled=false",
                        "spring.liquibase.enabled=false",
                        // faults make much noise
                        "logging.level.root=off",
                        "logging.level.org.springframework=off",
                        "logging.level.io.delayqueue=error")
                .run(args);
        RedisClient observer = RedisClient.create(context.getEnvironment().getRequiredProperty(REDIS));
        log.observePauses();
        log.observeStalls(observer.connect().sync()::ping);
        RandomTransactions transactions = new RandomTransactions(
                context.getEnvironment().getRequiredProperty(SEED, Long.class),
                args[0],
                log,
                context.getBean(DelayQueueOperations.class),
                context.getBean(DataSource.class),
                context.getBean(PlatformTransactionManager.class));
        log.write(What.READY);
        obey(log, transactions);
        Runtime.getRuntime().halt(0);
    }

    private static void obey(Log log, RandomTransactions transactions) throws IOException, InterruptedException {
        List<Thread> threads = List.of();
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null; line = commands.readLine()) {
            if (line.equals(WORK)) {
                threads = transactions.start(THREADS);
            } else if (line.equals(CALENDAR)) {
                log.write(What.CALENDAR, "-", "-", Log.aheadMicros());
            } else if (line.equals(REST)) {
                transactions.end();
                for (Thread thread : threads) {
                    thread.join(TimeUnit.SECONDS.toMillis(60));
                }
                log.write(What.IDLE, "-", "-", transactions.schedules());
            }
        }
    }

    @Bean
    DelayQueueObserver observer() {
        return new DelayQueueObserver() {
            @Override
            public void delivered(ReceivedMessage message, Duration lag) {
                TAKEN.set(Log.micros());
            }
        };
    }

    @Bean
    Listener listener(JdbcOperations jdbc) {
        return new Listener(new Log(System.out), jdbc);
    }

    /** Writes what it handles. */
    record Listener(Log log, JdbcOperations jdbc) {

        @DelayQueueListener(topic = NOTES)
        void note(DelayQueueMessage<String> message) {
            begin(message);
            Log.pause(Math.floorMod(message.payload().hashCode(), 20));
            log.write(What.ENDED, message.id(), message.payload(), message.attempt());
        }

        @DelayQueueListener(id = "effects", topic = EFFECTS, idempotent = true)
        void effect(DelayQueueMessage<String> message) {
            begin(message);
            jdbc.update(
                    "INSERT INTO effects (version, attempt, instance) VALUES (?, ?, ?)",
                    message.payload(),
                    message.attempt(),
                    Long.toString(ProcessHandle.current().pid()));
            Log.pause(Math.floorMod(message.payload().hashCode(), 20));
            log.write(What.ENDED, message.id(), message.payload(), message.attempt());
        }

        private void begin(DelayQueueMessage<String> message) {
            log.write(What.TAKEN, message.id(), message.payload(), message.attempt(), TAKEN.get());
            log.write(What.BEGUN, message.id(), message.payload(), message.attempt());
        }
    }

    static String topic(String id) {
        return id.startsWith(OF_EFFECTS) ? EFFECTS : NOTES;
    }
}
