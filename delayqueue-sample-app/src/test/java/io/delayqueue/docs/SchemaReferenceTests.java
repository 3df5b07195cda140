package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of the journal names each column of each table, as the scripts create them. */
class SchemaReferenceTests {

    private static final Path SCRIPTS = Document.ROOT.resolve("delayqueue-jdbc/src/main/resources/io/delayqueue/jdbc");

    private static final Pattern HEADING = Pattern.compile("#+ (.*)");
    private static final Pattern TABLE_HEADING = Pattern.compile("### `(delayqueue_\\w+)`");
    private static final Pattern NAME = Pattern.compile("`(\\w+)`");
    private static final Pattern CREATE = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(delayqueue_\\w+) \\($");
    private static final Pattern COLUMN = Pattern.compile("^ {4}([a-z_]+) [A-Z].*");

    @ParameterizedTest
    @ValueSource(strings = {"h2", "mariadb", "mysql", "oracle", "postgresql"})
    void allColumnsAreDocumented(String platform) throws IOException {
        assertThat(documented()).isEqualTo(created(SCRIPTS.resolve("schema-" + platform + ".sql")));
    }

    @Test
    void thereAreNoOtherScripts() throws IOException {
        try (Stream<Path> files = Files.list(SCRIPTS)) {
            assertThat(files.filter(file -> file.toString().endsWith(".sql"))).hasSize(5);
        }
    }

    private static Map<String, Set<String>> documented() {
        Map<String, Set<String>> tables = new TreeMap<>();
        Set<String> columns = new TreeSet<>();
        for (String line :
                Document.read(Document.ROOT.resolve("docs/journal.md")).lines()) {
            Matcher table = TABLE_HEADING.matcher(line);
            if (table.matches()) {
                columns = tables.computeIfAbsent(table.group(1), name -> new TreeSet<>());
            } else if (HEADING.matcher(line).matches()) {
                columns = new TreeSet<>();
            } else if (line.startsWith("| `")) {
                for (MatchResult name : NAME.matcher(line.substring(2, line.indexOf('|', 2)))
                        .results()
                        .toList()) {
                    columns.add(name.group(1));
                }
            }
        }
        return tables;
    }

    private static Map<String, Set<String>> created(Path script) throws IOException {
        Map<String, Set<String>> tables = new TreeMap<>();
        Set<String> columns = new TreeSet<>();
        for (String line : Files.readAllLines(script)) {
            Matcher table = CREATE.matcher(line);
            Matcher column = COLUMN.matcher(line);
            if (table.find()) {
                columns = tables.computeIfAbsent(table.group(1), name -> new TreeSet<>());
            } else if (column.matches()) {
                columns.add(column.group(1));
            }
        }
        return tables;
    }
}
