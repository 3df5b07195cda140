package io.delayqueue.test;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sees to it that a server doesn't outlive the JVM. It is a shell that reads from a pipe which the operating system
 * closes when the JVM is gone, in whatever way; it then kills the server and deletes its directory. On Windows, a
 * shutdown hook.
 */
final class Watchdog implements AutoCloseable {

    private static final String SCRIPT = """
            trap '' HUP INT TERM
            while read -r line; do pid=$line; done
            [ -z "$pid" ] || kill -9 "$pid"
            rm -rf "$1"
            """;

    private final @Nullable Process shell;
    private volatile @Nullable Long watched;

    private Watchdog(@Nullable Process shell) {
        this.shell = shell;
    }

    static Watchdog over(Path directory) {
        if (!Unix.isHere()) {
            Watchdog watchdog = new Watchdog(null);
            Runtime.getRuntime().addShutdownHook(new Thread(watchdog::killWatched, "embedded-redis-watchdog"));
            return watchdog;
        }
        List<String> command = List.of("sh", "-c", SCRIPT, "embedded-redis-watchdog", directory.toString());
        try {
            return new Watchdog(new ProcessBuilder(Unix.detached(command))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start());
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't run a shell to watch over the server", e);
        }
    }

    /** Names the process to kill when the JVM is gone, or none. */
    void watch(@Nullable Long pid) {
        watched = pid;
        if (shell != null) {
            String line = (pid == null ? "" : pid) + "\n";
            try {
                OutputStream pipe = shell.getOutputStream();
                pipe.write(line.getBytes(StandardCharsets.US_ASCII));
                pipe.flush();
            } catch (IOException e) {
                // Somebody killed the shell. Tests need not fail for that.
            }
        }
    }

    /** Watches no longer: whatever ran was ended by the caller. The directory goes. */
    @Override
    public void close() {
        watch(null);
        if (shell == null) {
            return;
        }
        try {
            shell.getOutputStream().close();
            shell.waitFor(5, TimeUnit.SECONDS);
        } catch (IOException e) {
            // As above.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void killWatched() {
        Long pid = watched;
        if (pid != null) {
            ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
        }
    }
}
