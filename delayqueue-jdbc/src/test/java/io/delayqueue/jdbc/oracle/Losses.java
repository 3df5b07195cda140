package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/** Faults after which Redis lacks what it had, or has what was over. Each ends when all is repaired. */
record Losses(Run run) {

    private static final Duration LONGEST_REPAIR = Duration.ofSeconds(120);

    /** A replica's own one comes first. */
    private static final Pattern OFFSET = Pattern.compile("(?:slave|master)_repl_offset:(\\d+)");

    void any(Random random) throws Exception {
        switch (random.nextInt(5)) {
            case 0 -> emptyRedis();
            case 1 -> restartRedisWithoutFiles();
            case 2 -> restartRedisFromOlderFiles();
            case 3 -> emptyRedisWithoutDatabase();
            default -> failOver();
        }
    }

    void emptyRedis() throws Exception {
        lose(Strike.EMPTIED, () -> run.ask(RedisCommands::flushall));
    }

    /** When nobody can write that down. */
    void emptyRedisWithoutDatabase() throws Exception {
        lose(
                Strike.EMPTIED,
                () -> new DatabaseFaults(run).takeAwayDuring(() -> {
                    run.ask(RedisCommands::flushall);
                    // longer than the time between checks
                    run.play(Faults.SHORT);
                }));
    }

    /** As one that keeps nothing on disk. */
    void restartRedisWithoutFiles() throws Exception {
        Path directory = directory();
        lose(Strike.RESTARTED_EMPTY, () -> {
            run.redis().kill();
            deleteData(directory);
            run.redis().restart();
        });
    }

    /** As from a dump that was made some seconds ago: what was over since is there again. */
    void restartRedisFromOlderFiles() throws Exception {
        Path directory = directory();
        Path copy = Files.createTempDirectory("delayqueue-older");
        try {
            copyData(directory, copy);
            workGoesOn(Duration.ofSeconds(3));
            lose(Strike.RESTARTED_OLDER, () -> {
                run.redis().kill();
                deleteData(directory);
                copyData(copy, directory);
                run.redis().restart();
            });
        } finally {
            FileSystemUtils.deleteRecursively(copy);
        }
    }

    /** A replica is promoted that was cut off from its primary some seconds ago. */
    void failOver() throws Exception {
        EmbeddedRedis replica = run.served.replica();
        Instances.await(LONGEST_REPAIR).until(() -> ServedRedis.ask(replica, Losses::isInSync));
        ServedRedis.ask(replica, RedisCommands::replicaofNoOne);
        workGoesOn(Duration.ofSeconds(3));
        lose(Strike.FAILED_OVER, run.served::failOver);
    }

    /** A Sentinel promotes a replica that lost its primary some seconds before the primary was killed. */
    void sentinelFailsOver() throws Exception {
        EmbeddedRedis replica = run.served.replica();
        Instances.await(LONGEST_REPAIR).until(run.served::isReplicaKnown);
        Instances.await(LONGEST_REPAIR).until(() -> ServedRedis.ask(replica, Losses::isInSync));
        // it can't log in again
        ServedRedis.ask(replica, redis -> redis.configSet("masterauth", "unknown"));
        run.ask(redis -> redis.clientKill(KillArgs.Builder.typeSlave()));
        Instances.await(LONGEST_REPAIR)
                .until(() -> ServedRedis.ask(replica, redis -> redis.info("replication"))
                        .contains("master_link_status:down"));
        workGoesOn(Duration.ofSeconds(1));
        assertThat(run.ask(Losses::offset))
                .as("what was written")
                .isGreaterThan(ServedRedis.ask(replica, Losses::offset));
        lose(Strike.FAILED_OVER, () -> {
            run.redis().kill();
            // the Sentinel ends the connections of a replica that it promotes
            Instances.await(LONGEST_REPAIR)
                    .ignoreExceptions()
                    .until(() -> ServedRedis.ask(replica, redis -> redis.info("replication"))
                            .contains("role:master"));
            run.served.failOver();
        });
    }

    /** How much of what was ever written a server has. */
    private static long offset(RedisCommands<String, String> redis) {
        Matcher offset = OFFSET.matcher(redis.info("replication"));
        assertThat(offset.find()).as("offset in INFO").isTrue();
        return Long.parseLong(offset.group(1));
    }

    private static boolean isInSync(RedisCommands<String, String> redis) {
        String info = redis.info("replication");
        return info.contains("master_link_status:up") && info.contains("master_sync_in_progress:0");
    }

    /** Long enough for ends that are over for a while when they come back. */
    private void workGoesOn(Duration time) throws InterruptedException {
        long before = run.instances.count(What.ENDED);
        run.play(time);
        Instances.await(Duration.ofSeconds(120)).until(() -> run.instances.count(What.ENDED) > before + 30);
    }

    private void lose(String fault, Run.Harm harm) throws Exception {
        Instances.await(Duration.ofSeconds(120))
                .untilAsserted(() -> assertThat(run.recorded.scheduled())
                        .as("messages that will be lost")
                        .isGreaterThan(10));
        run.strike(fault, null, () -> {
            Map<String, String> before = run.recorded.epochs();
            assertThat(before).as("epochs").hasSize(Run.PARTITIONS);
            harm.cause();
            Set<String> noticed = new HashSet<>();
            Instances.await(LONGEST_REPAIR).untilAsserted(() -> {
                noticed.addAll(run.recorded.losses());
                assertThat(noticed).as("topics whose loss was noticed").containsAll(Instance.TOPICS);
                run.recorded
                        .epochs()
                        .forEach((partition, epoch) ->
                                assertThat(epoch).as("epoch of " + partition).isNotEqualTo(before.get(partition)));
            });
            Instances.await(LONGEST_REPAIR)
                    .untilAsserted(() -> assertThat(run.recorded.losses())
                            .as("losses to be repaired")
                            .isEmpty());
        });
    }

    private Path directory() {
        return Path.of(run.ask(redis -> redis.configGet("dir")).get("dir"));
    }

    /** Its append-only file, or the directory of several, as far as it is written. */
    private static List<Path> data(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.getFileName().toString().startsWith("appendonly"))
                    .toList();
        }
    }

    private static void copyData(Path from, Path to) throws IOException {
        List<Path> data = data(from);
        assertThat(data).as("data of Redis").isNotEmpty();
        for (Path file : data) {
            FileSystemUtils.copyRecursively(file, to.resolve(file.getFileName()));
        }
    }

    private static void deleteData(Path directory) throws IOException {
        for (Path file : data(directory)) {
            FileSystemUtils.deleteRecursively(file);
        }
    }
}
