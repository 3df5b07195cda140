package io.delayqueue.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules that only the sources can show. */
class SourcesTests {

    private static final Path MAIN = Path.of("src/main/java");
    private static final Path API = MAIN.resolve("io/delayqueue");
    private static final Pattern SYNCHRONIZED_BLOCK = Pattern.compile("\\bsynchronized\\s*\\(");
    private static final Pattern TYPE = Pattern.compile(
            "^ *(?:public )?(?:static |final |sealed |abstract )*(?:class|interface|enum|record) \\w+.*");
    private static final Pattern PUBLIC_METHOD =
            Pattern.compile("^ {4,8}public (?:static )?(?!class|final|record|enum|interface)[^=;]+\\([^;]*");
    private static final Pattern INTERFACE_METHOD = Pattern.compile("^ {4}(?! |private)[\\w<>@? ,.]+ \\w+\\(.*");

    /** Imports by package, as {@link ArchitectureTests} knows them from byte code. */
    private static final Map<String, List<String>> FORBIDDEN_IMPORTS = Map.of(
            "io/delayqueue/internal/engine/dispatch",
                    List.of("io.delayqueue.internal.store", "io.delayqueue.internal.engine.consume"),
            "io/delayqueue/internal/engine/settle",
                    List.of("io.delayqueue.internal.engine.dispatch", "io.delayqueue.internal.engine.consume"),
            "io/delayqueue/internal/engine", List.of("io.delayqueue.internal.redis"),
            "io/delayqueue/internal/redis", List.of("io.delayqueue.internal.engine"),
            "io/delayqueue/internal/store", List.of("io.delayqueue.internal.redis", "io.delayqueue.internal.engine"));

    /** Byte code does not show where a constant comes from. */
    @Test
    void noConstantIsImportedFromAPackageThatMayNotBeSeen() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources(MAIN, 20)) {
            List<String> lines = Files.readAllLines(file);
            FORBIDDEN_IMPORTS.forEach((folder, packages) -> {
                if (file.startsWith(MAIN.resolve(folder))) {
                    lines.stream()
                            .filter(line -> packages.stream()
                                    .anyMatch(
                                            name -> line.matches("import (static )?" + Pattern.quote(name) + "\\..*")))
                            .forEach(line -> found.add(file.getFileName() + ": " + line));
                }
            });
        }

        assertThat(found).isEmpty();
    }

    @Test
    void noBlockIsSynchronized() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : sources(MAIN, 20)) {
            if (SYNCHRONIZED_BLOCK.matcher(Files.readString(file)).find()) {
                found.add(file.toString());
            }
        }

        assertThat(found).isEmpty();
    }

    @Test
    void everyTypeAndMethodOfTheApiIsDocumented() throws IOException {
        List<String> undocumented = new ArrayList<>();
        for (Path file : sources(API, 1)) {
            List<String> lines = Files.readAllLines(file);
            boolean isInterface =
                    lines.stream().anyMatch(line -> line.startsWith("public ") && line.contains(" interface "));
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i);
                boolean declares =
                        line.startsWith("public ") && TYPE.matcher(line).matches()
                                || PUBLIC_METHOD.matcher(line).matches()
                                || isInterface && INTERFACE_METHOD.matcher(line).matches();
                if (declares && !isCompactConstructor(line) && !isDocumented(lines, i)) {
                    undocumented.add(file.getFileName() + ":" + (i + 1) + " " + line.strip());
                }
            }
        }

        assertThat(undocumented).isEmpty();
    }

    private static boolean isCompactConstructor(String line) {
        return line.matches(" +public \\w+ \\{");
    }

    private static boolean isDocumented(List<String> lines, int declaration) {
        int above = declaration - 1;
        while (above >= 0 && lines.get(above).strip().startsWith("@")) {
            if (lines.get(above).strip().equals("@Override")) {
                return true;
            }
            above--;
        }
        return above >= 0 && lines.get(above).strip().endsWith("*/");
    }

    private static List<Path> sources(Path root, int depth) throws IOException {
        try (Stream<Path> files = Files.walk(root, depth)) {
            List<Path> sources =
                    files.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(sources).as("sources under %s", root.toAbsolutePath()).hasSizeGreaterThan(20);
            return sources;
        }
    }
}
