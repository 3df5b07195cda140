package io.delayqueue.benchmarks.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/** The machine's resources. */
final class Machine {

    private static final Path PROCESSORS = Path.of("/proc/stat");
    private static final int STOLEN = 8;
    private static final long TICK_MILLIS = 10;

    private Machine() {}

    /** Free bytes, without caches that the system could release. */
    static long freeMemory() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
    }

    /**
     * How long this virtual machine's processors have waited for real ones since it started, in ms and in steps of 10; empty if the system
     * does not tell.
     */
    static OptionalLong stolenMillis() {
        if (!Files.exists(PROCESSORS)) {
            return OptionalLong.empty();
        }
        try {
            String all = Files.readAllLines(PROCESSORS).get(0);
            return OptionalLong.of(Long.parseLong(all.split(" +")[STOLEN]) * TICK_MILLIS);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
