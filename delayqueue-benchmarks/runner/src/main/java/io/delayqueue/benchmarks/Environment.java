package io.delayqueue.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Describes the kind of machine and the versions of a run; names no host, path or kernel build. */
final class Environment {

    private static final Pattern LIBRARY = Pattern.compile(
            "/((?:lettuce-core|redisson|rqueue-core|db-scheduler|spring-boot|postgresql|elasticmq-rest-sqs_2.13)"
                    + "-\\d[\\w.]*?)(?:-RELEASE)?\\.jar");

    private Environment() {}

    /** All that a reader should know of a scenario's measurement. */
    static List<String> describe(Lab lab, Jvms jvms, String warmUp, double loadAtStart) {
        List<String> lines = new ArrayList<>(conditions(lab, jvms));
        lines.add(LocalDate.now(ZoneOffset.UTC).toString());
        lines.add(Results.describeLoad(loadAtStart));
        lines.add(warmUp);
        lines.add("the server's clock ahead of the clients' by %d µs"
                .formatted(lab.servers().redis().clockOffsetMicros()));
        return lines;
    }

    /** The commits, the machine and all versions, which are the same in all parts of a run. */
    static List<String> conditions(Lab lab, Jvms jvms) {
        List<String> lines = new ArrayList<>(lab.commits());
        lines.add("%d cores, %s, shared by servers, clients and load"
                .formatted(Runtime.getRuntime().availableProcessors(), processor()));
        lines.add(operatingSystem());
        lines.add(System.getProperty("java.vm.name") + " " + System.getProperty("java.version"));
        Jvms.newerJdk().ifPresent(version -> lines.add("virtual threads on JDK " + version));
        lines.addAll(lab.servers().descriptions());
        lines.add(String.join(", ", libraries(lab, jvms)));
        return lines;
    }

    private static Set<String> libraries(Lab lab, Jvms jvms) {
        Set<String> found = new TreeSet<>();
        for (Contestant contestant : lab.contestants()) {
            if (contestant.isForNode()) {
                found.addAll(NodeModule.of(jvms, contestant).packages());
                continue;
            }
            Matcher matcher = LIBRARY.matcher(jvms.classPath(contestant.module()));
            while (matcher.find()) {
                found.add(matcher.group(1));
            }
        }
        return found;
    }

    private static String processor() {
        return valueIn(Path.of("/proc/cpuinfo"), "model name", ":").orElse(System.getProperty("os.arch"));
    }

    /** Name and version; the kernel's build says nothing to readers. */
    private static String operatingSystem() {
        return valueIn(Path.of("/etc/os-release"), "PRETTY_NAME", "=").orElse(System.getProperty("os.name"));
    }

    private static Optional<String> valueIn(Path file, String key, String separator) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.filter(line -> line.startsWith(key) && line.contains(separator))
                    .map(line -> line.substring(line.indexOf(separator) + 1)
                            .replace("\"", "")
                            .strip())
                    .findFirst();
        } catch (IOException | UncheckedIOException e) {
            return Optional.empty();
        }
    }
}
