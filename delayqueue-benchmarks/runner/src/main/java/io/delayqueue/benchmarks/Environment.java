package io.delayqueue.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where and with what something was measured. */
final class Environment {

    private static final Pattern LIBRARY = Pattern.compile(
            "/((?:lettuce-core|redisson|rqueue-core|db-scheduler|spring-boot|postgresql)-\\d[\\w.]*?)(?:-RELEASE)?\\.jar");

    private Environment() {}

    static List<String> describe(Lab lab, Jvms jvms) {
        List<String> lines = new ArrayList<>();
        lines.add(LocalDate.now(ZoneOffset.UTC).toString());
        lines.add("%d cores, %s, shared by servers, clients and load"
                .formatted(Runtime.getRuntime().availableProcessors(), processor()));
        lines.add(System.getProperty("os.name") + " " + System.getProperty("os.version") + ", "
                + System.getProperty("java.vm.name") + " " + Runtime.version());
        lines.add("load average at the start: %.1f"
                .formatted(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage()));
        lines.addAll(lab.servers().descriptions());
        lines.add("the server's clock ahead of the clients' by %d µs"
                .formatted(lab.servers().redis().clockOffsetMicros()));
        lines.add(String.join(", ", libraries(lab, jvms)));
        return lines;
    }

    private static Set<String> libraries(Lab lab, Jvms jvms) {
        Set<String> found = new TreeSet<>();
        for (Contestant contestant : lab.contestants()) {
            Matcher matcher = LIBRARY.matcher(jvms.classPath(contestant.module()));
            while (matcher.find()) {
                found.add(matcher.group(1));
            }
        }
        return found;
    }

    private static String processor() {
        try {
            return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
                    .filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown processor");
        } catch (IOException e) {
            return System.getProperty("os.arch");
        }
    }
}
