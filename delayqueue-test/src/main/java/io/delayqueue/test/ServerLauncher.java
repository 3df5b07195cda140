package io.delayqueue.test;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Starts a server on the requested port or on a free one, and leaves nothing behind if that fails. */
final class ServerLauncher {

    /** Another process may take a free port before the server listens on it, but hardly ten times in a row. */
    private static final int ATTEMPTS_TO_FIND_A_PORT = 10;

    private final ServerSettings settings;
    private final @Nullable Integer requestedPort;

    /** @param requestedPort the port to listen on; null for a free one */
    ServerLauncher(ServerSettings settings, @Nullable Integer requestedPort) {
        this.settings = settings;
        this.requestedPort = requestedPort;
    }

    EmbeddedRedis launch() {
        Path executable = ServerExecutable.find();
        ServerFiles files = ServerFiles.create(settings);
        Watchdog watchdog = null;
        try {
            watchdog = Watchdog.over(files.directory());
            return launch(executable, files, watchdog);
        } catch (RuntimeException | Error e) {
            if (watchdog != null) {
                watchdog.close();
            }
            files.delete();
            throw e;
        }
    }

    private EmbeddedRedis launch(Path executable, ServerFiles files, Watchdog watchdog) {
        for (int attempt = 1; ; attempt++) {
            int port = requestedPort != null ? Ports.requireFree(requestedPort) : Ports.free();
            try {
                ServerProcess process = ServerProcess.start(executable, files, port, watchdog);
                return new EmbeddedRedis(files, executable, watchdog, process, port);
            } catch (ServerProcess.PortTakenException e) {
                if (requestedPort != null || attempt == ATTEMPTS_TO_FIND_A_PORT) {
                    throw e;
                }
            }
        }
    }
}
