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

/** The executables that the embedded-redis artifact carries, and which of them runs here. */
final class CarriedServer {

    private static final int ATTEMPTS_AT_A_BUSY_FILE = 100;

    private CarriedServer() {}

    /** Unpacks the one for this machine into a directory that is deleted when the JVM ends. */
    static Path unpack() {
        OsArchitecture here = machine();
        try {
            Path directory = Files.createTempDirectory("delayqueue-redis-server-");
            Watchdog.over(directory);
            Path executable = unpack(here, directory);
            if (!here.equals(OsArchitecture.UNIX_x86_64) || runs(executable)) {
                return executable;
            }
            // That one is linked with glibc and OpenSSL, the 32-bit one with nothing.
            return unpack(OsArchitecture.UNIX_x86, directory);
        } catch (IOException e) {
            throw new EmbeddedRedisException("Can't unpack the server that is carried along", e);
        }
    }

    private static OsArchitecture machine() {
        @Nullable RuntimeException cause = null;
        try {
            OsArchitecture here = OsArchitecture.detectOSandArchitecture();
            if (ExecutableProvider.newProvidedVersionsMap().containsKey(here)) {
                return here;
            }
        } catch (RuntimeException e) {
            cause = e;
        }
        throw new EmbeddedRedisException(
                "No server for %s on %s is carried along; name one by the environment variable %s"
                        .formatted(
                                System.getProperty("os.name"),
                                System.getProperty("os.arch"),
                                EmbeddedRedis.SERVER_VARIABLE),
                cause);
    }

    private static Path unpack(OsArchitecture which, Path directory) throws IOException {
        String resource = ExecutableProvider.newProvidedVersionsMap().get(which);
        Map<OsArchitecture, String> asTheOneForHere = Map.of(OsArchitecture.detectOSandArchitecture(), resource);
        return ExecutableProvider.newJarResourceProvider(directory::toFile, asTheOneForHere)
                .get()
                .toPath();
    }

    /** Whether the executable finds its libraries here. */
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
