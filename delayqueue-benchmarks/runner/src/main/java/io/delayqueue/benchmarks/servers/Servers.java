package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The servers of a run. Each is started at its first use and ends with the run. */
public final class Servers implements AutoCloseable {

    /** Servers that peers need. */
    public enum Kind {
        /** Redis or Valkey. */
        REDIS,
        /** beanstalkd, from the PATH, {@code DELAYQUEUE_BENCH_BEANSTALKD} or Debian's package. */
        BEANSTALKD,
        /** PostgreSQL, from Maven Central. */
        POSTGRESQL,
        /** MariaDB, from Maven Central. */
        MARIADB,
        /** ElasticMQ, from Maven Central. */
        ELASTICMQ
    }

    /** Starts programs of the benchmark modules. */
    @FunctionalInterface
    public interface Launcher {

        /**
         * Starts a JVM.
         *
         * @param module folder of the module
         * @param program main class and its arguments
         */
        Process launch(String module, List<String> program) throws IOException;
    }

    private final Launcher launcher;
    private final Map<Kind, Optional<Server>> started = new EnumMap<>(Kind.class);
    private final List<String> missing = new ArrayList<>();

    /** Starts none yet. */
    public Servers(Launcher launcher) {
        this.launcher = launcher;
    }

    /** The server of this kind; empty if it is not available on this machine. */
    public Optional<Server> get(Kind kind) {
        return started.computeIfAbsent(kind, this::start);
    }

    private Optional<Server> start(Kind kind) {
        try {
            return Optional.of(
                    switch (kind) {
                        case REDIS -> RedisServer.start();
                        case BEANSTALKD ->
                            BeanstalkdServer.start(Program.find(
                                            "DELAYQUEUE_BENCH_BEANSTALKD",
                                            "beanstalkd",
                                            DebianPackage.unpacked("beanstalkd"))
                                    .orElseThrow(
                                            () -> new IOException("neither on this machine nor in Debian's packages")));
                        case POSTGRESQL -> PostgresServer.start();
                        case MARIADB -> MariaDbServer.start();
                        case ELASTICMQ -> ElasticMq.start(launcher);
                    });
        } catch (IOException | RuntimeException e) {
            missing.add(kind + " is not available: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The Redis server, which every run has. */
    public RedisServer redis() {
        return (RedisServer) get(Kind.REDIS).orElseThrow(() -> new IllegalStateException(String.join("; ", missing)));
    }

    /** The servers that are not available, with the reasons. */
    public List<String> missing() {
        return List.copyOf(missing);
    }

    /** Descriptions of the servers that were started. */
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
