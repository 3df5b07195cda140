package io.delayqueue.benchmarks.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * The resources that this process has used since its start.
 *
 * @param cpuNanos processor time of all threads, JIT and garbage collector included
 * @param allocated bytes allocated by live threads: read it before they end
 */
record Footprint(long cpuNanos, long allocated) {

    static Footprint now() {
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        ThreadMXBean threads = ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
        long allocated = 0;
        for (long bytes : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            allocated += Math.max(0, bytes);
        }
        return new Footprint(system.getProcessCpuTime(), allocated);
    }

    Footprint since(Footprint start) {
        return new Footprint(cpuNanos - start.cpuNanos, Math.max(0, allocated - start.allocated));
    }
}
