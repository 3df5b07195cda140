package io.delayqueue.benchmarks.scenarios;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** What the machine has to offer. */
final class Machine {

    private Machine() {}

    /** Bytes, without what the system could free. */
    static long freeMemory() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getFreeMemorySize();
    }
}
