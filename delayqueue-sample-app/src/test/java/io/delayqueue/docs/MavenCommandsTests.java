package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands of Maven in the documents name modules, profiles and tests that exist. */
class MavenCommandsTests {

    /** To the end of its line or of its code span; a backslash continues it. */
    private static final Pattern COMMAND = Pattern.compile("\\bmvn ((?:\\\\\\R|[^`\\n])+)");

    private static final Pattern MODULES = Pattern.compile("-pl ([\\w,/-]+)");
    private static final Pattern PROFILES = Pattern.compile("-P([\\w,-]+)");
    private static final Pattern TESTS = Pattern.compile("-Dtest=([\\w,]+)");

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.delayqueue.docs.Document#all")
    void eachNamesWhatExists(Document document) throws IOException {
        String poms = poms();
        for (String command : commands(document)) {
            assertThat(names(MODULES, command))
                    .as("modules of '%s' in %s", command, document)
                    .allMatch(
                            module -> Files.exists(Document.ROOT.resolve(module).resolve("pom.xml")));
            assertThat(names(PROFILES, command))
                    .as("profiles of '%s' in %s", command, document)
                    .allMatch(profile -> poms.contains("<profile>\n            <id>" + profile + "</id>"));
            for (String test : names(TESTS, command)) {
                assertThat(sources(test))
                        .as("tests of '%s' in %s", command, document)
                        .isNotEmpty();
            }
        }
    }

    /** Without it, the test above would be green with a pattern that finds none. */
    @Test
    void theDocumentsHaveSuchCommands() {
        String all = Document.all().stream()
                .flatMap(document -> commands(document).stream())
                .reduce("", (left, right) -> left + right + "\n");

        assertThat(names(MODULES, all)).contains("delayqueue-server", "delayqueue-benchmarks/runner");
        assertThat(names(PROFILES, all)).contains("sample", "soak", "benchmarks");
        assertThat(names(TESTS, all)).contains("JournalOracleTests");
    }

    private static List<String> commands(Document document) {
        return COMMAND.matcher(String.join("\n", document.lines()))
                .results()
                .map(MatchResult::group)
                .toList();
    }

    private static List<String> names(Pattern pattern, String command) {
        return pattern.matcher(command)
                .results()
                .flatMap(result -> Arrays.stream(result.group(1).split(",")))
                .toList();
    }

    private static String poms() throws IOException {
        StringBuilder text = new StringBuilder();
        for (Path pom : find("pom\\.xml")) {
            text.append(Files.readString(pom));
        }
        return text.toString();
    }

    private static List<Path> sources(String test) throws IOException {
        return find("src/test/java/.*/" + test + "\\.java");
    }

    private static List<Path> find(String path) throws IOException {
        try (Stream<Path> files = Files.find(
                Document.ROOT,
                20,
                (file, attributes) -> file.toString().matches(".*/" + path)
                        && !file.toString().contains("/target/"))) {
            return files.toList();
        }
    }
}
