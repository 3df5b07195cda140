package io.delayqueue.test;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.model.OsArchitecture;

/** The Redis executables that are bundled with the embedded-redis artifact. */
final class BundledServer {

    /** At 10 ms each a second, far longer than another thread needs to fork a process. */
    private static final int ATTEMPTS_AT_A_BUSY_FILE = 100;

    private BundledServer() {}

    /** Unpacks the executable for this machine into a directory that is deleted when the JVM ends. */
    static Path unpack() {
        OsArchitecture architecture = machine();
        try {
            Path directory = Files.createTempDirectory("delayqueue-redis-server-");
            Watchdog.over(directory);
            Path executable = unpack(architecture, directory);
            if (!architecture.equals(OsArchitecture.UNIX_x86_64) || runs(executable)) {
                return executable;
            }
            // The 64-bit executable needs glibc and OpenSSL; the 32-bit one is static.
            return unpack(OsArchitecture.UNIX_x86, directory);
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't unpack the bundled Redis server", e);
        }
    }

    private static OsArchitecture machine() {
        @Nullable RuntimeException cause = null;
        try {
            OsArchitecture architecture = OsArchitecture.detectOSandArchitecture();
            if (ExecutableProvider.newProvidedVersionsMap().containsKey(architecture)) {
                return architecture;
            }
        } catch (RuntimeException e) {
            cause = e;
        }
        throw new EmbeddedRedisException(
                "No Redis server is bundled for %s on %s; set the environment variable %s to the path of one"
                        .formatted(
                                System.getProperty("os.name"),
                                System.getProperty("os.arch"),
                                EmbeddedRedis.SERVER_VARIABLE),
                cause);
    }

    private static Path unpack(OsArchitecture architecture, Path directory) throws IOException {
        String resource = ExecutableProvider.newProvidedVersionsMap().get(architecture);
        Map<OsArchitecture, String> forThisMachine = Map.of(OsArchitecture.detectOSandArchitecture(), resource);
        return ExecutableProvider.newJarResourceProvider(directory::toFile, forThisMachine)
                .get()
                .toPath();
    }

    /** Whether the executable finds its libraries on this machine. */
    private static boolean runs(Path executable) {
        for (int attempt = 1; ; attempt++) {
            try {
                Process process = new ProcessBuilder(executable.toString(), "--version")
                        .redirectErrorStream(true)
                        .redirectOutput(Redirect.DISCARD)
                        .start();
                return process.waitFor(10, TimeUnit.SECONDS) && process.exitValue() == 0;
            } catch (IOException e) {
                // A process forked by another thread while the file was being written keeps it open for a moment.
                boolean busy = String.valueOf(e.getMessage()).contains("Text file busy");
                if (!busy || attempt == ATTEMPTS_AT_A_BUSY_FILE) {
                    return false;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new EmbeddedRedisException("Interrupted while unpacking the server", e);
            }
        }
    }
}
