package io.delayqueue.test;

import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A real Redis server as a child process on the loopback interface, which tests start, kill, pause and restart.
 *
 * <pre>{@code
 * try (EmbeddedRedis redis = EmbeddedRedis.start()) {
 *     RedisClient client = RedisClient.create(redis.uri());
 *     ...
 * }
 * }</pre>
 *
 * <p>It listens on a free port, keeps its files in a temporary directory that is deleted by {@link #close()}, and
 * persists nothing unless {@link Builder#appendOnly()} is set. It never outlives the JVM: on Unix a small shell process
 * kills it and deletes the directory as soon as the JVM is gone, {@code kill -9} included, so that shutdown hooks of the
 * application can still use the server; on Windows a shutdown hook kills it.
 *
 * <p><b>Executable.</b> The one named by the environment variable {@value #SERVER_VARIABLE} (a
 * {@code redis-server}, {@code valkey-server} or a script that {@code exec}s one), else the one bundled with the artifact
 * {@code com.github.codemonstur:embedded-redis}: Redis 6.2 for Linux (x86-64 and ARM64), macOS (Intel and Apple
 * silicon), and for Windows Redis 5.0, which is older than this library supports. The one for Linux x86-64 needs glibc
 * 2.34 and OpenSSL 3; without them, a static 32-bit one is used.
 *
 * <p>State: running → ({@link #pause()} ⇄ {@link #resume()}) → down by {@link #stop()} or {@link #kill()} → running
 * again by {@link #restart()}, with the same port and directory → closed, which is final. Safe for use by several
 * threads.
 */
public final class EmbeddedRedis implements AutoCloseable {

    /** The environment variable that names the server's executable. */
    public static final String SERVER_VARIABLE = "DELAYQUEUE_TEST_SERVER";

    static final String HOST = "127.0.0.1";

    private final ReentrantLock lock = new ReentrantLock();
    private final ServerFiles files;
    private final Path executable;
    private final Watchdog watchdog;
    private final int port;

    private ServerProcess process;
    private boolean closed;

    EmbeddedRedis(ServerFiles files, Path executable, Watchdog watchdog, ServerProcess process, int port) {
        this.files = files;
        this.executable = executable;
        this.watchdog = watchdog;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server with default settings on a free port.
     *
     * @throws EmbeddedRedisException if it can't be started
     */
    public static EmbeddedRedis start() {
        return builder().start();
    }

    /** A builder for a server with other settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** The address that the server listens on. */
    public String host() {
        return HOST;
    }

    /** The port that the server listens on; it stays the same over {@link #restart()}. */
    public int port() {
        return port;
    }

    /** The server's address as {@code redis://host:port}. */
    public String uri() {
        return "redis://" + HOST + ":" + port;
    }

    /** The process id of the running server, or of the last one if it is down. */
    public long pid() {
        lock.lock();
        try {
            return process.pid();
        } finally {
            lock.unlock();
        }
    }

    Path directory() {
        return files.directory();
    }

    /** Whether the server's process is alive; a paused one is. */
    public boolean isRunning() {
        lock.lock();
        try {
            return process.isAlive();
        } finally {
            lock.unlock();
        }
    }

    /** Kills the server ({@code kill -9}); its files stay for {@link #restart()}. */
    public void kill() {
        lock.lock();
        try {
            process.kill();
            watchdog.watch(null);
        } finally {
            lock.unlock();
        }
    }

    /** Stops the server gracefully, as {@code SHUTDOWN} does; its files stay for {@link #restart()}. */
    public void stop() {
        lock.lock();
        try {
            process.stop();
            watchdog.watch(null);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Suspends the server while its connections stay open ({@code kill -STOP}). To its clients it looks like a machine
     * that hangs. Not on Windows.
     */
    public void pause() {
        lock.lock();
        try {
            running().signal("STOP");
        } finally {
            lock.unlock();
        }
    }

    /** Resumes a paused server ({@code kill -CONT}). No effect on one that isn't paused. Not on Windows. */
    public void resume() {
        lock.lock();
        try {
            running().signal("CONT");
        } finally {
            lock.unlock();
        }
    }

    /**
     * Starts the server again, on the same port and with the same files, after stopping it if it still runs. It
     * then has the data that it had persisted.
     *
     * @throws EmbeddedRedisException if it can't be started, for instance because another process took the port
     * @throws IllegalStateException if it was closed
     */
    public void restart() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("This server was closed; start a new one");
            }
            process.stop();
            watchdog.watch(null);
            process = ServerProcess.start(executable, files, port, watchdog);
        } finally {
            lock.unlock();
        }
    }

    /** Kills the server and deletes its files. A second call has no effect. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            process.kill();
            watchdog.close();
            files.delete();
        } finally {
            lock.unlock();
        }
    }

    /** Restarts or resumes a server that a test killed or paused. */
    void ensureResponsive() {
        lock.lock();
        try {
            if (!process.isAlive()) {
                restart();
            } else if (Unix.isHere()) {
                process.signal("CONT");
            }
        } finally {
            lock.unlock();
        }
    }

    private ServerProcess running() {
        if (!process.isAlive()) {
            throw new IllegalStateException("The server on port " + port + " is down");
        }
        return process;
    }

    /** Settings of a server to start. */
    public static final class Builder {

        private final ServerSettings settings = new ServerSettings();
        private @Nullable Integer requestedPort;

        private Builder() {}

        /**
         * The port to listen on.
         *
         * @param port from 1 to 65535; default: a free one
         */
        public Builder port(int port) {
            if (port < 1 || port > 65535) {
                throw new IllegalArgumentException("port must be from 1 to 65535, not " + port);
            }
            this.requestedPort = port;
            return this;
        }

        /**
         * Any directive of {@code redis.conf}, for instance {@code setting("maxmemory", "10mb")}. It may be called
         * several times. A server refuses unknown directives at its start. A password set here is not part of {@link
         * EmbeddedRedis#uri()}.
         *
         * @param name of the directive
         * @param values of the directive, each quoted as needed
         */
        public Builder setting(String name, String... values) {
            settings.add(name, values);
            return this;
        }

        /**
         * A variable of the server's process, for instance {@code LD_PRELOAD} for a library that moves its clock. It may be called several
         * times. Variables of the JVM's environment are the server's too.
         *
         * @param name of the variable
         * @param value of the variable
         */
        public Builder environment(String name, String value) {
            settings.variable(name, value);
            return this;
        }

        /** Syncs every change to an append-only file before its reply, so that a kill loses nothing. */
        public Builder appendOnly() {
            return setting("appendonly", "yes").setting("appendfsync", "always");
        }

        /**
         * Makes the server a replica of another one. It may not be synchronised yet when {@link #start()} returns.
         *
         * @param primary the server to replicate, also after a {@link EmbeddedRedis#restart()}
         */
        public Builder replicaOf(EmbeddedRedis primary) {
            return setting("replicaof", primary.host(), String.valueOf(primary.port()));
        }

        /** Makes it a Sentinel, which keeps no data. */
        Builder sentinel() {
            settings.mode(ServerSettings.Mode.SENTINEL);
            return this;
        }

        /**
         * Starts the server; it answers when this returns.
         *
         * @throws EmbeddedRedisException if there is no executable for this machine, if the port is taken, if the
         *     server refuses a setting, or if it doesn't answer within 30 seconds
         */
        public EmbeddedRedis start() {
            return new ServerLauncher(settings, requestedPort).launch();
        }
    }
}
