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
                    "starter",
                    "delayqueue, Spring Boot",
                    "peers/delayqueue",
                    PEERS + "delayqueue.StarterPeer",
                    "starter",
                    Kind.REDIS,
                    MANY,
                    "The same through template and annotated listener, payloads as JSON."),
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
                    LIMIT,
                    "limit line",
                    "peers/plain",
                    PEERS + "plain.LimitLine",
                    "batched",
                    Kind.REDIS,
                    MANY,
                    "The least that survives a consumer's crash, batched as well as can be: leases, but no retry with backoff, no fence, "
                            + "counters, duplicate policy, priorities, limit of attempts or dead letters; due times by the client's "
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
                            + "no fence, no counters; due times by the client's clock."),
            new Contestant(
                    "rqueue",
                    "rqueue",
                    "peers/rqueue",
                    PEERS + "rqueue.RqueuePeer",
                    "default",
                    Kind.REDIS,
                    1_000,
                    "Default settings, on the last Spring Boot 3. Retries and dead letters, but no fence: a message whose "
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
                            + "Lock-and-fetch, polled every 100 ms; due times by the client's clock."));

    private Contestants() {}

    /** Whether a contestant is measured by the scenario of the journal only. */
    public static boolean isJournal(Contestant contestant) {
        return contestant.name().equals(JOURNAL) || contestant.name().equals(OUTBOX);
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
