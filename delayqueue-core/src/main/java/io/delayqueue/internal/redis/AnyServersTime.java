package io.delayqueue.internal.redis;

import io.lettuce.core.api.StatefulConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The time of a server. On a Cluster, it is always the same one, that with the names of all topics at first; if it fails, the first other
 * one to answer takes its place. Thread-safe.
 */
final class AnyServersTime {

    private final Topology topology;
    private final ReconnectingConnection<StatefulConnection<byte[], byte[]>> connection;
    private final Keys keys;
    private final ScriptExecutor scripts;
    /** Of the server that is asked. */
    private volatile byte[] key;

    AnyServersTime(Connections connections, Keys keys, ScriptExecutor scripts) {
        this.topology = connections.topology();
        this.connection = connections.commandConnection();
        this.keys = keys;
        this.scripts = scripts;
        this.key = keys.topics();
    }

    /** The time in µs. */
    CompletableFuture<Long> ask() {
        byte[] asked = key;
        return ask(asked).exceptionallyCompose(error -> askOthers(asked, error));
    }

    private CompletableFuture<Long> ask(byte[] ofServer) {
        return scripts.run(Script.TIME, null, new byte[][] {ofServer}, new Arguments(), (Long micros) -> micros);
    }

    private CompletableFuture<Long> askOthers(byte[] failed, Throwable error) {
        List<byte[]> others = new ArrayList<>();
        connection.ifOpen(open -> topology.slotsOfOthers(open, failed)
                .forEach(slots -> others.add(keys.probeKeys(slots).meta())));
        CompletableFuture<Long> first = new CompletableFuture<>();
        AtomicInteger unanswered = new AtomicInteger(others.size());
        if (others.isEmpty()) {
            first.completeExceptionally(error);
        }
        for (byte[] other : others) {
            ask(other).whenComplete((micros, failure) -> {
                if (failure == null && first.complete(micros)) {
                    key = other;
                } else if (unanswered.decrementAndGet() == 0) {
                    first.completeExceptionally(error);
                }
            });
        }
        return first;
    }
}
