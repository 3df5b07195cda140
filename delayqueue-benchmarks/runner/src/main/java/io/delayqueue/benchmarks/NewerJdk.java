package io.delayqueue.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/** A JDK that has virtual threads: this one, the one of {@code DELAYQUEUE_BENCH_JDK}, or the newest beside this one. */
final class NewerJdk {

    static final String MISSING = "no JDK from 21 on: DELAYQUEUE_BENCH_JDK names its folder";

    private static final int WITH_VIRTUAL_THREADS = 21;

    private NewerJdk() {}

    /** Its folder. */
    static Optional<Path> find() {
        Path own = Path.of(System.getProperty("java.home"));
        String chosen = System.getenv("DELAYQUEUE_BENCH_JDK");
        if (Runtime.version().feature() >= WITH_VIRTUAL_THREADS) {
            return Optional.of(own);
        }
        if (chosen != null && !chosen.isBlank()) {
            return Optional.of(Path.of(chosen));
        }
        try (Stream<Path> siblings = Files.list(own.resolveSibling("."))) {
            return siblings.map(Path::normalize)
                    .filter(folder -> Files.isExecutable(folder.resolve("bin/java")))
                    .filter(folder -> feature(folder) >= WITH_VIRTUAL_THREADS)
                    .max(Comparator.comparingInt(NewerJdk::feature));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static int feature(Path jdk) {
        String version = version(jdk);
        return version.isEmpty() ? 0 : Runtime.Version.parse(version).feature();
    }

    /** Such as {@code 25.0.1}; empty if the folder does not tell. */
    static String version(Path jdk) {
        try (Stream<String> lines = Files.lines(jdk.resolve("release"))) {
            return lines.filter(line -> line.startsWith("JAVA_VERSION="))
                    .map(line -> line.substring(line.indexOf('=') + 1).replace("\"", ""))
                    .findFirst()
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }
}
