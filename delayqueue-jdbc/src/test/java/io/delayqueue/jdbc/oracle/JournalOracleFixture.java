package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.oracle.Work.Kind;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;

/**
 * Instances change shared ids in random transactions and handle the messages, while faults of Redis, of the database and of processes
 * strike. All that committed takes effect, nothing that was rolled back does, and the last change of an id wins. Idempotent listeners
 * have each effect in the database once.
 *
 * <p>System properties of the long forms: {@code soak.duration}, such as {@code PT30M}, and {@code soak.seed}.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
abstract class JournalOracleFixture {

    static final int INSTANCES = 3;
    static final Duration DURATION = Duration.parse(System.getProperty("soak.duration", "PT10M"));

    static long end() {
        return System.nanoTime() + DURATION.toNanos();
    }

    static long seed() {
        long seed = Long.getLong("soak.seed", System.nanoTime());
        System.out.println("Journal oracle, seed " + seed);
        return seed;
    }

    static void judge(Run run) throws Exception {
        run.awaitEnough();
        Verdict verdict = run.judge();
        List<Work> work = run.recorded.work();
        long attempted = run.instances.notes().stream()
                .filter(note -> note.is(What.IDLE))
                .mapToLong(Note::number)
                .sum();
        System.out.println(work.size() + " changes took place; " + verdict.delivered() + " messages, "
                + verdict.duplicates() + " duplicates, " + run.looks() + " looks at the outbox; failed calls: "
                + run.failures());

        if (!verdict.isSound()) {
            System.out.println(run.story(verdict));
        }
        verdict.requireSound();
        assertThat(run.conflicts())
                .as("transactions that failed for another one")
                .isLessThan(run.instances.count(What.RETURNED) / 10);
        assertThat(run.recorded.effects())
                .as("effects of idempotent listeners")
                .hasSizeGreaterThan(20)
                .doesNotHaveDuplicates()
                .isSubsetOf(work.stream().map(Work::version).toList());
        for (Kind kind : Kind.values()) {
            assertThat(work).filteredOn(change -> change.kind() == kind).hasSizeGreaterThan(20);
        }
        assertThat(run.instances.count(What.PROMISED))
                .as("calls without a transaction")
                .isGreaterThan(10);
        assertThat(verdict.delivered()).as("messages that were delivered").isGreaterThan(50);
        assertThat(run.looks()).as("looks at the outbox").isGreaterThan(50);
        long committed = work.stream()
                .filter(change -> change.kind() == Kind.SCHEDULE && change.order() > 0)
                .filter(change -> run.instances.members().stream()
                        .anyMatch(member -> change.version().startsWith(member.name() + "-")))
                .count();
        assertThat(attempted - committed).as("schedule calls rolled back").isGreaterThan(20);
    }
}
