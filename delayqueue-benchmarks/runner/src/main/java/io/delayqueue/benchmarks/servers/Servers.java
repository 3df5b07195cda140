package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All servers that this machine can run. Each is started when it is first asked for, and lives until the end. */
public final class Servers implements AutoCloseable {

    /** What a peer may need. */
    public enum Kind {
        /** Redis or Valkey. */
        REDIS,
        /** beanstalkd, from the PATH, {@code DELAYQUEUE_BENCH_BEANSTALKD} or Debian's package. */
        BEANSTALKD,
        /** PostgreSQL, from Maven Central. */
        POSTGRESQL
    }

    private final Map<Kind, Optional<Server>> started = new EnumMap<>(Kind.class);
    private final List<String> missing = new ArrayList<>();

    /** The server of this kind, unless it can't be had here. */
    public Optional<Server> get(Kind kind) {
        return started.computeIfAbsent(kind, this::start);
    }

    private Optional<Server> start(Kind kind) {
        try {
            return Optional.of(
                    switch (kind) {
                        case REDIS -> RedisServer.start();
                        case BEANSTALKD ->
                            BeanstalkdServer.start(Executable.find(
                                            "DELAYQUEUE_BENCH_BEANSTALKD",
                                            "beanstalkd",
                                            DebianPackage.unpacked("beanstalkd"))
                                    .orElseThrow(
                                            () -> new IOException("not on this machine, nor in Debian's packages")));
                        case POSTGRESQL -> PostgresServer.start();
                    });
        } catch (IOException | RuntimeException e) {
            missing.add(kind + " can't be had: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Redis, which is always there. */
    public RedisServer redis() {
        return (RedisServer) get(Kind.REDIS).orElseThrow(() -> new IllegalStateException(String.join("; ", missing)));
    }

    /** What could not be started, and why. */
    public List<String> missing() {
        return List.copyOf(missing);
    }

    /** What was started. */
    public List<String> descriptions() {
        return started.values().stream()
                .flatMap(Optional::stream)
                .map(Server::description)
                .toList();
    }

    @Override
    public void close() {
        started.values().forEach(server -> server.ifPresent(Server::close));
        started.clear();
    }
}
