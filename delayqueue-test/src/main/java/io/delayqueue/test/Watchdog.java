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
 * Kills a server whose JVM is gone, and deletes its directory. It is a shell that reads from a pipe, which the operating
 * system closes when the JVM ends in any way. On Windows it is a shutdown hook.
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
                // the shell was killed, which need not fail a test
            }
        }
    }

    /** Ends the watch after the caller has ended the server; the directory is deleted. */
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
            // as above
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
