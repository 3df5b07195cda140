package io.delayqueue.test;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** One run of the server, from the moment it answers to its end. */
final class ServerProcess {

    private static final long START_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final long STOP_LIMIT_SECONDS = 10;
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Process process;

    private ServerProcess(Process process) {
        this.process = process;
    }

    /** Starts the server, and returns when it answers. */
    static ServerProcess start(Path executable, ServerFiles files, int port, Watchdog watchdog) {
        Process process;
        try {
            Path configuration = files.writeConfiguration(port);
            ProcessBuilder server = new ProcessBuilder(Unix.detached(files.command(executable, configuration)))
                    .directory(files.directory().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(files.log());
            server.environment().putAll(files.environment());
            process = server.start();
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't run " + executable + ": " + e.getMessage(), e);
        }
        watchdog.watch(process.pid());
        ServerProcess server = new ServerProcess(process);
        try {
            server.awaitReady(executable, files, port);
        } catch (RuntimeException | Error e) {
            server.kill();
            watchdog.watch(null);
            throw e;
        }
        return server;
    }

    long pid() {
        return process.pid();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void signal(String name) {
        Unix.signal(name, process.pid());
    }

    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Asks the server to stop, and kills it if it still runs ten seconds later. */
    void stop() {
        if (!process.isAlive()) {
            return;
        }
        if (Unix.isHere()) {
            signal("CONT"); // a paused process does not get the signal
        }
        process.destroy();
        awaitEnd();
    }

    private void awaitReady(Path executable, ServerFiles files, int port) {
        long deadline = System.nanoTime() + START_LIMIT_NANOS;
        while (!InlineCommand.isReady(port, process.pid())) {
            if (!process.isAlive()) {
                throw endedAtStart(executable, files, port);
            }
            if (System.nanoTime() - deadline > 0) {
                throw new EmbeddedRedisException("%s doesn't answer on port %d after 30 seconds. Its log ends:%n%s"
                        .formatted(executable, port, files.lastLogLines()));
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new EmbeddedRedisException("Interrupted while waiting for the server to start");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private EmbeddedRedisException endedAtStart(Path executable, ServerFiles files, int port) {
        String log = files.lastLogLines();
        String message =
                "%s ended at start with code %d. Its log ends:%n%s".formatted(executable, process.exitValue(), log);
        if (log.contains("ddress already in use")) {
            return new PortTakenException("Port " + port + " was taken by another process. " + message);
        }
        return new EmbeddedRedisException(message);
    }

    private void awaitEnd() {
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                if (!process.waitFor(STOP_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                interrupted = true;
                process.destroyForcibly();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Another process took the port between its choice and the start of the server. */
    static final class PortTakenException extends EmbeddedRedisException {

        private static final long serialVersionUID = 1L;

        PortTakenException(String message) {
            super(message);
        }
    }
}
