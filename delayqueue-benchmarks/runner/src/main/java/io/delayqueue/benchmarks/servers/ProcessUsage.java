package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** Reads the usage of processes from Linux' {@code /proc}: processor time in steps of 10 ms. */
final class ProcessUsage {

    private static final double TICK_MICROS = 10_000;
    private static final long PAGE = 4096;

    private ProcessUsage() {}

    /** The usage of a process and its children, ended ones included. */
    static Usage ofTree(ProcessHandle process) {
        return Stream.concat(Stream.of(process), process.descendants())
                .map(each -> of(each.pid()))
                .reduce(Usage.NONE, Usage::plus);
    }

    private static Usage of(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            // the name, in brackets, may have blanks: what follows it starts with field 3
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            long ticks = 0;
            for (int field = 14; field <= 17; field++) { // user and system time, own and of children waited for
                ticks += Long.parseLong(fields[field - 3]);
            }
            return new Usage(ticks * TICK_MICROS, 0, 0, Long.parseLong(fields[24 - 3]) * PAGE);
        } catch (IOException e) {
            return Usage.NONE; // it ended meanwhile
        }
    }
}
