package io.delayqueue.gateway.testsupport;

import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The virtual threads of this JVM. */
public final class VirtualThreads {

    private VirtualThreads() {}

    /** Their number, by a dump in this folder. By reflection, since Java 17 compiles this, too. */
    public static long count(Path folder) throws Exception {
        Class<? extends PlatformManagedObject> type =
                Class.forName("com.sun.management.HotSpotDiagnosticMXBean").asSubclass(PlatformManagedObject.class);
        Class<?> format = Class.forName("com.sun.management.HotSpotDiagnosticMXBean$ThreadDumpFormat");
        Path dump = folder.resolve("threads" + System.nanoTime());
        type.getMethod("dumpThreads", String.class, format)
                .invoke(
                        ManagementFactory.getPlatformMXBean(type),
                        dump.toString(),
                        format.getField("TEXT_PLAIN").get(null));
        try (Stream<String> lines = Files.lines(dump)) {
            return lines.filter(line -> line.startsWith("#") && line.contains(" virtual"))
                    .count();
        }
    }
}
