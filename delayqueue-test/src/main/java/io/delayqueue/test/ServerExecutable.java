package io.delayqueue.test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Finds the executable of the server: the user's choice, else the bundled one. */
final class ServerExecutable {

    private static final ReentrantLock LOCK = new ReentrantLock();
    private static @Nullable Path unpacked;

    private ServerExecutable() {}

    static Path find() {
        String chosen = System.getenv(EmbeddedRedis.SERVER_VARIABLE);
        return chosen != null && !chosen.isBlank() ? chosen(chosen.strip()) : bundled();
    }

    static Path chosen(String name) {
        Path path = Path.of(name);
        String problem = null;
        if (!Files.exists(path)) {
            problem = "doesn't exist";
        } else if (!Files.isRegularFile(path)) {
            problem = "is not a file";
        } else if (!Files.isExecutable(path)) {
            problem = "is not executable";
        }
        if (problem != null) {
            throw new EmbeddedRedisException("The environment variable " + EmbeddedRedis.SERVER_VARIABLE + " names "
                    + path + ", which " + problem);
        }
        return path.toAbsolutePath();
    }

    /** Unpacks it once a JVM. */
    private static Path bundled() {
        LOCK.lock();
        try {
            Path path = unpacked;
            if (path == null) {
                path = BundledServer.unpack();
                unpacked = path;
            }
            return path;
        } finally {
            LOCK.unlock();
        }
    }
}
