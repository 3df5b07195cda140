package io.delayqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Helpers of tests stand beside their tests, or in the {@code testsupport} package of their module if several packages use them. */
class TestSupportTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
    private static final Pattern IMPORT =
            Pattern.compile("(?m)^import (?:static )?([a-z][a-z0-9_.]*)\\.([A-Z]\\w*)[.;]");

    /** They need what only their package sees of the code that they test. */
    private static final Set<String> BOUND_TO_THEIR_PACKAGE =
            Set.of("ScriptText", "RareStatements", "RareRestoreStatements", "ComparedTopic");

    @Test
    void helpersOfSeveralPackagesAreInTestsupport() throws IOException {
        List<String> found = new ArrayList<>();
        int checked = 0;
        for (Path sources : folders()) {
            for (Path file : javaFiles(sources)) {
                String source = Files.readString(file);
                Matcher imported = IMPORT.matcher(source);
                while (imported.find()) {
                    String of = imported.group(1);
                    boolean helper =
                            Files.exists(sources.resolve(of.replace('.', '/') + "/" + imported.group(2) + ".java"));
                    boolean foreign = !of.equals(packageOf(source));
                    checked += helper ? 1 : 0;
                    if (helper
                            && foreign
                            && !of.contains(".testsupport")
                            && !BOUND_TO_THEIR_PACKAGE.contains(imported.group(2))) {
                        found.add(ROOT.relativize(file) + " imports " + of + "." + imported.group(2));
                    }
                }
            }
        }

        assertThat(checked).as("imports of helpers").isGreaterThan(500);
        assertThat(found).isEmpty();
    }

    private static String packageOf(String source) {
        Matcher matcher = PACKAGE.matcher(source);
        return matcher.find() ? matcher.group(1) : "";
    }

    /** The tests of the modules. Benchmarks have none that share helpers. */
    private static List<Path> folders() throws IOException {
        try (Stream<Path> modules = Files.list(ROOT)) {
            return modules.map(module -> module.resolve("src/test/java"))
                    .filter(Files::isDirectory)
                    .toList();
        }
    }

    private static List<Path> javaFiles(Path folder) throws IOException {
        try (Stream<Path> files =
                Files.find(folder, 20, (file, attributes) -> file.toString().endsWith(".java"))) {
            return files.toList();
        }
    }
}
