package io.delayqueue.jdbc.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.jdbc.JournalDatabase;
import io.delayqueue.jdbc.JournalTables;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;

/**
 * Oracle's statements are compared with a file that was read by people: no server runs here. After a change, read the statements again
 * and put them into the file.
 */
class OracleStatementsTests {

    @Test
    void statementsThatWriteAreThoseOfTheFile() throws Exception {
        StatementRecorder oracle = new StatementRecorder("Oracle");
        JournalDatabase database =
                new JournalDatabase(oracle.dataSource(), new JournalTables(JournalTables.DEFAULT_PREFIX));
        OutboxWriter writer = new OutboxWriter(database, new WriteSettings(1, Duration.ofSeconds(10), null));

        writer.schedule(
                List.of(OutgoingMessage.to("orders").payload(new byte[0]).build()));
        writer.reschedule(new CommittedChange(new OutboxKey("orders", "a"), "00000001"), Delay.NONE, null);

        String statements = oracle.statements().stream()
                .map(statement -> statement
                                .replace(database.dialect().nowMicros(), "NOW_IN_MICROS")
                                .replaceAll(" (USING|ON \\(|WHEN MATCHED|WHEN NOT|VALUES)", "\n    $1")
                        + ";\n")
                .collect(Collectors.joining("\n"));
        assertThat(statements)
                .isEqualTo(new ClassPathResource("oracle-outbox.sql", OracleStatementsTests.class)
                        .getContentAsString(StandardCharsets.UTF_8));
    }
}
