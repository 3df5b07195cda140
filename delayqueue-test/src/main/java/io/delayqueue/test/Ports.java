package io.delayqueue.test;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/** Free ports of the loopback interface. Another process may take a port after the check. */
final class Ports {

    /**
     * Below the ports that operating systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere). With
     * one of those, a client that keeps trying to reach a killed server could be given the server's port for its own
     * end, be connected to itself, and keep the server from coming back.
     */
    private static final int LOWEST = 20_000;

    private static final int AFTER_HIGHEST = 32_768;
    private static final int ATTEMPTS = 1_000;

    private Ports() {}

    static int free() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, AFTER_HIGHEST);
            try {
                return requireFree(port);
            } catch (EmbeddedRedisException e) {
                // try the next one
            }
        }
        throw new EmbeddedRedisException(
                "None of %d ports from %d to %d is free".formatted(ATTEMPTS, LOWEST, AFTER_HIGHEST - 1));
    }

    static int requireFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getByName(EmbeddedRedis.HOST))) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new EmbeddedRedisException("Port " + port + " is taken by another process", e);
        }
    }
}
