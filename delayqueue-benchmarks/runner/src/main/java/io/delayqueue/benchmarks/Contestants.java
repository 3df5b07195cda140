package io.delayqueue.benchmarks;

import io.delayqueue.benchmarks.servers.Servers.Kind;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** All peers that can be measured, this library first. */
public final class Contestants {

    /** This library's core. */
    public static final String CORE = "core";

    /** This library's core, of another checkout. */
    public static final String BASELINE = "baseline";

    /** The least that survives a consumer's crash, to compare Redis CPU with. */
    public static final String LIMIT = "limit";

    /** The same with a command for each message. */
    public static final String PIPELINING = "pipelining";

    /** This library with a journal in PostgreSQL: outbox and audit. */
    public static final String JOURNAL = "journal";

    /** The same without audit. */
    public static final String OUTBOX = "outbox";

    /** The same with its database in MariaDB. */
    public static final String MARIADB = "journal-mariadb";

    /** This library's starter. */
    public static final String STARTER = "starter";

    /** This library's starter on a JDK that has virtual threads, without them. */
    public static final String STARTER_NEWER_JDK = "starter-newer-jdk";

    /** The same with virtual threads. */
    public static final String STARTER_VIRTUAL = "starter-virtual";

    /** BullMQ, for Node. */
    public static final String BULLMQ = "bullmq";

    /** The settings of the starter that need a newer JDK begin with this. */
    static final String NEWER_JDK = "newer-jdk";

    private static final List<String> OF_SINGLE_SCENARIOS =
            List.of(JOURNAL, OUTBOX, MARIADB, STARTER_NEWER_JDK, STARTER_VIRTUAL);

    private static final String PEERS = "io.delayqueue.benchmarks.peers.";
    private static final int MANY = 1_000_000;

    private static final List<Contestant> ALL = List.of(
            new Contestant(
                    CORE,
                    "delayqueue",
                    "peers/delayqueue",
                    PEERS + "delayqueue.CorePeer",
                    "core",
                    Kind.REDIS,
                    MANY,
                    "All promises of this library, with default options."),
            new Contestant(
                    STARTER,
                    "delayqueue, Spring Boot",
                    "peers/delayqueue",
                    PEERS + "delayqueue.StarterPeer",
                    "starter",
                    Kind.REDIS,
                    MANY,
                    "The same through template and listener method, payloads are objects written as JSON."),
            new Contestant(
                    STARTER_NEWER_JDK,
                    "delayqueue, Spring Boot, newer JDK",
                    "peers/delayqueue",
                    PEERS + "delayqueue.StarterPeer",
                    NEWER_JDK,
                    Kind.REDIS,
                    MANY,
                    "The same on a JDK that has virtual threads, without using them."),
            new Contestant(
                    STARTER_VIRTUAL,
                    "delayqueue, Spring Boot, virtual threads",
                    "peers/delayqueue",
                    PEERS + "delayqueue.StarterPeer",
                    NEWER_JDK + "-virtual",
                    Kind.REDIS,
                    MANY,
                    "The same with spring.threads.virtual.enabled."),
            new Contestant(
                    JOURNAL,
                    "delayqueue, journal",
                    "peers/journal",
                    PEERS + "journal.JournalPeer",
                    "journal",
                    Kind.POSTGRESQL,
                    100_000,
                    "Template and annotated listener, each call in a transaction of PostgreSQL with its default durability; from its "
                            + "outbox to Redis, and an audit of what became of each message. Otherwise default options."),
            new Contestant(
                    OUTBOX,
                    "delayqueue, journal without audit",
                    "peers/journal",
                    PEERS + "journal.JournalPeer",
                    "outbox",
                    Kind.POSTGRESQL,
                    100_000,
                    "The same without the audit."),
            new Contestant(
                    MARIADB,
                    "delayqueue, journal in MariaDB",
                    "peers/journal",
                    PEERS + "journal.JournalPeer",
                    "journal",
                    Kind.MARIADB,
                    100_000,
                    "The journal with audit, in MariaDB that syncs each commit."),
            new Contestant(
                    LIMIT,
                    "limit line",
                    "peers/plain",
                    PEERS + "plain.LimitLine",
                    "batched",
                    Kind.REDIS,
                    MANY,
                    "The least that survives a consumer's crash, batched as well as can be: leases that are not renewed, no "
                            + "retry with backoff, no fence, counters, duplicate policy, priorities, limit of attempts or dead letters; "
                            + "due times by the client's "
                            + "clock; two threads poll every millisecond and handle all messages."),
            new Contestant(
                    PIPELINING,
                    "plain pipelining",
                    "peers/plain",
                    PEERS + "plain.LimitLine",
                    "pipelining",
                    Kind.REDIS,
                    MANY,
                    "The same with a command for each message, all of a call in one write; one thread."),
            new Contestant(
                    "loop",
                    "polling loop",
                    "peers/plain",
                    PEERS + "plain.PollingLoop",
                    "",
                    Kind.REDIS,
                    MANY,
                    "No ack: a crash loses the messages that the consumer had removed. One thread polls every millisecond and handles "
                            + "all messages; due times by the client's clock."),
            new Contestant(
                    "beanstalkd",
                    "beanstalkd",
                    "peers/plain",
                    PEERS + "plain.Beanstalkd",
                    "",
                    Kind.BEANSTALKD,
                    MANY,
                    "One server without replication; here without its log, so a crash of the server loses all messages. Delays in "
                            + "whole seconds, no look-up by the caller's id, no limit of attempts."),
            new Contestant(
                    "redisson",
                    "Redisson",
                    "peers/redisson",
                    PEERS + "redisson.RedissonPeer",
                    "",
                    Kind.REDIS,
                    15_000,
                    "RDelayedQueue in front of RBlockingQueue. No ack: a crash loses the messages that the consumer had taken. No retry, "
                            + "no fence, no counters; due times by the client's clock. Redisson has deprecated RDelayedQueue since "
                            + "3.46; its successor, RReliableQueue, is part of the commercial Redisson PRO and not measured."),
            new Contestant(
                    "rqueue",
                    "rqueue",
                    "peers/rqueue",
                    PEERS + "rqueue.RqueuePeer",
                    "default",
                    Kind.REDIS,
                    1_000,
                    "Version 3.2.0, the newest of the registry used here (3.4.1 is published), with default settings, on Spring Boot "
                            + "3.5, the last line that it is made for. Retries and dead letters, but no fence: a message whose "
                            + "visibility timeout ends is handled twice at a time; due times by the client's clock."),
            new Contestant(
                    "rqueue-tuned",
                    "rqueue, tuned",
                    "peers/rqueue",
                    PEERS + "rqueue.RqueuePeer",
                    "tuned",
                    Kind.REDIS,
                    3_000,
                    "The same, polled every 5 ms, 100 at a time, due messages moved every 50 ms, 1,000 at a time, without job records."),
            new Contestant(
                    "db-scheduler",
                    "db-scheduler",
                    "peers/db-scheduler",
                    PEERS + "dbscheduler.DbSchedulerPeer",
                    "default",
                    Kind.POSTGRESQL,
                    10_000,
                    "On PostgreSQL with its default durability: it syncs to disk, while Redis keeps data in memory only here. "
                            + "Lock-and-fetch of one to four times the threads, as its documentation advises for throughput, polled "
                            + "every 100 ms; "
                            + "due times by the client's clock."),
            new Contestant(
                    BULLMQ,
                    "BullMQ",
                    "peers/bullmq",
                    "worker.mjs",
                    "",
                    Kind.REDIS,
                    20_000,
                    "For Node, with default settings but the concurrency, and jobs removed when they are completed. Retries and "
                            + "stalled jobs; a worker that stalled and one that took over may both handle a job; due times by the "
                            + "client's clock. Client CPU is that of Node."),
            new Contestant(
                    "elasticmq",
                    "ElasticMQ",
                    "peers/elasticmq",
                    PEERS + "elasticmq.ElasticMqPeer",
                    "",
                    Kind.ELASTICMQ,
                    10_000,
                    "A server with the protocol of SQS, by the AWS SDK. All in memory: a crash of the server loses all messages. Delays in "
                            + "whole seconds, of 15 minutes at most, which is the delay here where others have an hour."));

    private Contestants() {}

    /** Whether a contestant has a journal. */
    public static boolean isJournal(Contestant contestant) {
        return List.of(JOURNAL, OUTBOX, MARIADB).contains(contestant.name());
    }

    /** Whether a contestant is measured only by scenarios that name it. */
    static boolean isOfSingleScenarios(Contestant contestant) {
        return OF_SINGLE_SCENARIOS.contains(contestant.name());
    }

    /** All contestants but the baseline. */
    public static List<Contestant> all() {
        return ALL;
    }

    /** The contestants of these names, in the order of the report. */
    public static List<Contestant> measured(Set<String> names) {
        return Stream.concat(ALL.stream(), Stream.of(baseline(Path.of(""))))
                .filter(contestant -> names.contains(contestant.name()))
                .toList();
    }

    /** This library's core as built in the benchmark modules of another checkout, to compare two versions in one run. */
    static Contestant baseline(Path modules) {
        return new Contestant(
                BASELINE,
                "delayqueue, baseline",
                modules.toAbsolutePath().resolve("peers/delayqueue").toString(),
                PEERS + "delayqueue.CorePeer",
                "core",
                Kind.REDIS,
                MANY,
                "Another version of this library's core, with default options.");
    }
}
