package io.delayqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Sources of all modules can be read beside each other: the formatter wraps code, and neither comments nor texts. */
class SourceLinesTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int LONGEST = 140;
    private static final int MOST_LINES = 300;

    @Test
    void noLineIsLongerThan140Characters() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).length() > LONGEST) {
                    found.add(ROOT.relativize(file) + ":" + (i + 1));
                }
            }
        }

        assertThat(found).as("lines of more than %s characters", LONGEST).isEmpty();
    }

    /** A first sentence names its noun: it is what an IDE shows. */
    @Test
    void noCommentBeginsWithoutANoun() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).matches("\\s*(/\\*\\*|\\*|--) (What|Who|Whoever|Whatever|So many|So long)\\b.*")) {
                    found.add(ROOT.relativize(file) + ":" + (i + 1) + lines.get(i));
                }
            }
        }

        assertThat(found).as("comments without a noun").isEmpty();
    }

    /** Properties and options may be long: they list what there is. */
    @Test
    void noFileOfTheLibraryHasMoreThan300Lines() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources()) {
            String path = ROOT.relativize(file).toString();
            if (path.contains("/src/main/") && !path.matches(".*(Properties|Options)\\.java")) {
                long lines = Files.readAllLines(file).size();
                if (lines > MOST_LINES) {
                    found.add(path + ": " + lines);
                }
            }
        }

        assertThat(found)
                .as("files of more than %s lines: two ideas each", MOST_LINES)
                .isEmpty();
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.find(
                ROOT, 20, (file, attributes) -> file.toString().matches(".*/src/(main|test)/.*\\.(java|lua)"))) {
            List<Path> sources = files.toList();
            assertThat(sources).as("sources under %s", ROOT).hasSizeGreaterThan(500);
            return sources;
        }
    }
}
