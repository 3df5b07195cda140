package io.delayqueue.jdbc.testsupport;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.awaitility.Awaitility;

/** A process that stands still, and goes on later: what it is sent meanwhile waits. */
public final class FrozenProcess {

    private FrozenProcess() {}

    /** {@code kill -STOP}; returns when the process stands still. */
    public static void freeze(Process process) throws IOException, InterruptedException {
        freeze(process.toHandle());
    }

    private static void freeze(ProcessHandle process) throws IOException, InterruptedException {
        require(signal(process, "STOP"), process);
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> isFrozen(process));
    }

    /** {@code kill -CONT}. */
    public static void thaw(Process process) throws IOException, InterruptedException {
        require(signal(process.toHandle(), "CONT"), process.toHandle());
    }

    /** Freezes a process and those that it started. */
    public static void freezeWithChildren(ProcessHandle process) throws IOException, InterruptedException {
        // it starts no more of them; some may end meanwhile
        freeze(process);
        for (ProcessHandle child : process.children().toList()) {
            signal(child, "STOP");
        }
    }

    /** Thaws a process and those that it started. */
    public static void thawWithChildren(ProcessHandle process) throws IOException, InterruptedException {
        for (ProcessHandle child : process.children().toList()) {
            signal(child, "CONT");
        }
        require(signal(process, "CONT"), process);
    }

    /** Whether it stands still, by whoever froze it. */
    public static boolean isFrozen(Process process) throws IOException {
        return isFrozen(process.toHandle());
    }

    private static boolean isFrozen(ProcessHandle process) throws IOException {
        Process ps = new ProcessBuilder("ps", "-o", "stat=", "-p", Long.toString(process.pid())).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).startsWith("T");
    }

    /** Whether the process was there. */
    private static boolean signal(ProcessHandle process, String name) throws IOException, InterruptedException {
        return new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .inheritIO()
                        .start()
                        .waitFor()
                == 0;
    }

    private static void require(boolean signalled, ProcessHandle process) {
        if (!signalled) {
            throw new IllegalStateException("process " + process.pid() + " is gone");
        }
    }
}
