package io.delayqueue.benchmarks.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The machine's resources. */
final class Machine {

    private Machine() {}

    /** Free bytes, without caches that the system could release. */
    static long freeMemory() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
    }
}
