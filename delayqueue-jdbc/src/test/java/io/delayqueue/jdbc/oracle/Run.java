package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.TopicStats;
import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.testsupport.database.DatabaseKind;
import io.delayqueue.jdbc.testsupport.database.TestDatabase;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionException;

/** Redis, a database, instances that work on both, and an observer of the outbox. */
final class Run implements AutoCloseable {

    static final Duration LEASE = Duration.ofSeconds(3);
    private static final Set<String> TAKEN_AWAY = Set.of("CANCELLED", "PURGED", "REPLACED");
    static final Duration SEND_TIMEOUT = Duration.ofSeconds(2);

    /** How long Redis remembers what it applied: as short as it may be. */
    static final Duration REMEMBERED = SEND_TIMEOUT.multipliedBy(3);

    private static final int PARTITIONS_OF_NOTES = 3;

    /** Of all topics; the other one has a single partition. */
    static final int PARTITIONS = PARTITIONS_OF_NOTES + 1;

    final TestDatabase database;
    final ServedRedis served;
    final Instances instances;
    final JdbcTemplate jdbc;
    final RecordedRun recorded;
    private final RedisClient lettuce;
    private final DelayQueueClient client;
    private final Map<String, Long> over = new ConcurrentHashMap<>();
    private final List<Strike> strikes = new CopyOnWriteArrayList<>();
    private final OutboxLooks looks = new OutboxLooks();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread observer = new Thread(this::observe, "outbox-observer");

    /** Instances find Redis at one address. */
    Run(TestDatabase database, long seed) {
        this(database, seed, ServedRedis.atAddress());
    }

    Run(TestDatabase database, long seed, ServedRedis served) {
        this.served = served;
        this.database = database.withSchema();
        this.jdbc = new JdbcTemplate(database.dataSource(pool -> {
            pool.setMaximumPoolSize(2);
            pool.setConnectionTimeout(10_000);
        }));
        jdbc.execute(database.kind() == DatabaseKind.MARIADB ? Work.TABLE_OF_MARIADB : Work.TABLE);
        jdbc.execute(Work.INDEX);
        jdbc.execute(Instance.EFFECTS_TABLE);
        this.lettuce = RedisClient.create(served.uri());
        this.client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(1))
                        .build());
        this.instances = new Instances(properties(seed));
        this.recorded = new RecordedRun(jdbc, instances);
        observer.setDaemon(true);
        observer.start();
    }

    private Map<String, Object> properties(long seed) {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("spring.datasource.url", database.url());
        properties.put("spring.datasource.hikari.connection-timeout", 3_000);
        properties.put("spring.datasource.hikari.maximum-pool-size", 20);
        properties.putAll(served.properties());
        properties.put(Instance.REDIS, served.uri());
        properties.put("delayqueue.command-timeout", "1s");
        properties.put("delayqueue.guard-interval", "1s");
        properties.put("delayqueue.listener.lease", LEASE.toSeconds() + "s");
        properties.put("delayqueue.listener.max-attempts", 1_000);
        properties.put("delayqueue.listener.backoff.delays", "10ms");
        properties.put("delayqueue.journal.outbox.send-timeout", SEND_TIMEOUT.toSeconds() + "s");
        properties.put("delayqueue.journal.outbox.poll-interval", "200ms");
        properties.put("delayqueue.journal.outbox.remember-applied", REMEMBERED.toSeconds() + "s");
        properties.put("delayqueue.journal.restore.check-interval", "500ms");
        properties.put("delayqueue.journal.restore.compare-interval", "5s");
        properties.put("delayqueue.topics." + Instance.NOTES + ".partitions", PARTITIONS_OF_NOTES);
        properties.put(Instance.SEED, seed);
        return properties;
    }

    private void observe() {
        try {
            long last = Log.micros();
            while (!closed.await(100, TimeUnit.MILLISECONDS)) {
                long now = Log.micros();
                if (now - last > Evidence.SLACK_MICROS) {
                    strikes.add(new Strike("machine stalled", null, last, now));
                }
                look(now);
                // not when it began to look: a database that is away makes that long
                last = Log.micros();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void look(long now) {
        try {
            Set<String> ids = recorded.idsInOutbox();
            looks.add(now, ids);
        } catch (DataAccessException | TransactionException e) {
            // the database is away: nothing is seen
        }
    }

    /** Causes a fault; it is over when the harm returns. Then waits until all instances go on. */
    void strike(String fault, Instances.@Nullable Member member, Harm harm) throws Exception {
        lookWhatIsOver();
        cause(fault, member, harm);
        instances.awaitProgress();
    }

    /** Causes a fault within another one, which waits for the instances. */
    void cause(String fault, Instances.@Nullable Member member, Harm harm) throws Exception {
        long begun = Log.micros();
        harm.cause();
        strikes.add(new Strike(fault, member == null ? null : member.name(), begun, Log.micros()));
    }

    /** Messages that have ended in the journal by now have to stay so. */
    private void lookWhatIsOver() {
        Map<String, String> states = recorded.states();
        long now = Log.micros();
        states.forEach((version, state) -> {
            if (state.equals("ACKED")) {
                over.putIfAbsent(version, now);
            } else if (TAKEN_AWAY.contains(state)) {
                // a handler may have been about to begin
                over.putIfAbsent(version, now + Evidence.SLACK_MICROS);
            }
        });
    }

    /** A fault and its end. */
    interface Harm {
        void cause() throws Exception;
    }

    /** Kills an instance for good. */
    void kill(Instances.Member member) throws Exception {
        long begun = Log.micros();
        instances.kill(member);
        strikes.add(new Strike("killed", member.name(), begun, Long.MAX_VALUE));
    }

    /** How long a fault lasts. */
    void play(Duration time) throws InterruptedException {
        if (closed.await(time.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("closed");
        }
    }

    /** Waits until all instances together did enough to be judged, and until there are ends that no fault excuses. */
    void awaitEnough() throws Exception {
        play(Duration.ofSeconds(5));
        Instances.await(Duration.ofSeconds(120))
                .until(() -> instances.count(What.RETURNED) > 300 && instances.count(What.PROMISED) > 20);
    }

    /** Calls that failed, by their exceptions. */
    Map<String, Long> failures() {
        return instances.notes().stream()
                .filter(note -> note.is(What.FAILED))
                .collect(Collectors.groupingBy(
                        note -> note.subject() + " " + note.version(), TreeMap::new, Collectors.counting()));
    }

    /** Calls that failed for another transaction. */
    long conflicts() {
        return instances.notes().stream()
                .filter(note -> note.is(What.FAILED) && note.subject().equals(Note.CONFLICT))
                .count();
    }

    /** Ends the work, waits until all is sent and handled, and judges. */
    Verdict judge() {
        instances.rest();
        Instances.await(Duration.ofSeconds(120))
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(recorded.outbox()).as("rows in the outbox").isEmpty());
        Instances.await(Duration.ofSeconds(120)).ignoreExceptions().untilAsserted(this::assertDrained);
        assertThat(recorded.unsentMessages())
                .as("messages that are not sent, by their status")
                .isEmpty();
        Set<String> effects = new HashSet<>(recorded.effects());
        List<Note> notes = instances.notes().stream()
                .filter(note -> !note.is(What.ENDED)
                        || Instance.topic(note.subject()).equals(Instance.NOTES)
                        || effects.contains(note.version()))
                .toList();
        List<Strike> all = new ArrayList<>(strikes);
        instances.notes().stream()
                .filter(note -> note.is(What.STALLED, What.PAUSED))
                .forEach(note -> all.add(new Strike(
                        note.is(What.STALLED) ? Strike.UNANSWERED : "paused",
                        note.instance(),
                        note.at() - note.number(),
                        note.at())));
        Evidence evidence = Evidence.of(
                recorded.work(), notes, recorded.refused(), Map.copyOf(over), all, looks, LEASE.toNanos() / 1_000);
        assertRecorded(evidence);
        return JournalOracle.judge(evidence);
    }

    /** The faults that struck, and all that is known of the messages that a verdict names. */
    String story(Verdict verdict) {
        List<String> lines = new ArrayList<>();
        strikes.forEach(strike -> lines.add(strike.toString()));
        String findings = String.join(" ", verdict.findings());
        instances.notes().stream()
                .filter(note -> note.subject().length() > 3 && findings.contains(note.subject()))
                .forEach(note -> lines.add(note.toString()));
        recorded.work().stream()
                .filter(work -> findings.contains(work.id()))
                .forEach(work -> lines.add(work.toString()));
        recorded.events().stream()
                .filter(event -> findings.contains(String.valueOf(event.get("id"))))
                .forEach(event -> lines.add(event.toString()));
        return String.join(System.lineSeparator(), lines);
    }

    /** The audit writes behind what happens. */
    private void assertRecorded(Evidence evidence) {
        Instances.await(Duration.ofSeconds(120)).untilAsserted(() -> {
            RecordedStates ends = new RecordedStates(evidence, recorded.states());
            assertThat(ends.wrong()).as("recorded states").isEmpty();
            assertThat(ends.sureEnds()).as("ends that are compared").isGreaterThan(20);
        });
    }

    /** The server that instances find now. */
    EmbeddedRedis redis() {
        return served.server();
    }

    /** Asks the server that instances find now, past their address. */
    <T> T ask(Function<RedisCommands<String, String>, T> question) {
        return served.ask(question);
    }

    private void assertDrained() {
        for (String topic : Instance.TOPICS) {
            TopicStats stats = client.stats(topic);
            assertThat(stats.pending().total() + stats.inFlight())
                    .as("left of %s in %s", topic, stats)
                    .isZero();
            assertThat(stats.unaccounted())
                    .as("unaccounted of %s in %s", topic, stats)
                    .isZero();
            assertThat(stats.dead()).as("dead of %s in %s", topic, stats).isZero();
        }
    }

    /** Looks at the outbox so far. */
    int looks() {
        return looks.count();
    }

    @Override
    public void close() throws Exception {
        closed.countDown();
        observer.join(TimeUnit.SECONDS.toMillis(30));
        instances.close();
        client.close();
        lettuce.shutdown(Duration.ZERO, Duration.ofSeconds(1));
        served.close();
    }
}
