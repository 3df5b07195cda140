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
        signal(process, "STOP");
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> isFrozen(process));
    }

    /** {@code kill -CONT}. */
    public static void thaw(Process process) throws IOException, InterruptedException {
        signal(process, "CONT");
    }

    /** Whether it stands still, by whoever froze it. */
    public static boolean isFrozen(Process process) throws IOException {
        Process ps = new ProcessBuilder("ps", "-o", "stat=", "-p", Long.toString(process.pid())).start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).startsWith("T");
    }

    private static void signal(Process process, String name) throws IOException, InterruptedException {
        int status = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IllegalStateException("kill -" + name + " ended with " + status);
        }
    }
}
