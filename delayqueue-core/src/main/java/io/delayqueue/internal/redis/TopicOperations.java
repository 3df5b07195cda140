package io.delayqueue.internal.redis;

import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.MessageStore.DeleteStep;
import io.delayqueue.internal.store.MessageStore.IdStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Partitioning;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The operations on topics as a whole: names, numbers, partition counts and the search for former ones, pausing. */
final class TopicOperations {

    private final Keys keys;
    private final CommandSender sender;
    private final ScriptExecutor scripts;
    private final WakeUpChannels channels;
    private final Topology topology;

    TopicOperations(
            Keys keys, CommandSender sender, ScriptExecutor scripts, WakeUpChannels channels, Topology topology) {
        this.keys = keys;
        this.sender = sender;
        this.scripts = scripts;
        this.channels = channels;
        this.topology = topology;
    }

    CompletableFuture<Void> register(String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return sender.send(
                "register", topic, keys.topics(), commands -> commands.sadd(keys.topics(), name), null, added -> null);
    }

    CompletableFuture<Boolean> unregister(String topic) {
        byte[] name = topic.getBytes(StandardCharsets.UTF_8);
        return sender.<Long, Boolean>send(
                "deleteTopic",
                topic,
                keys.topics(),
                commands -> commands.srem(keys.topics(), name),
                null,
                removed -> removed == 1);
    }

    CompletableFuture<DeleteStep> delete(Partition partition, boolean force) {
        Arguments arguments = new Arguments().add(partition.count()).add(force ? MessageStore.LARGEST_BATCH : 0);
        return scripts.run(Script.DELETE_TOPIC, partition, arguments, Replies::deleteStep);
    }

    CompletableFuture<Set<String>> topics() {
        return sender.send("topics", null, keys.topics(), commands -> commands.smembers(keys.topics()), null, names -> {
            Set<String> sorted = new TreeSet<>();
            names.forEach(name -> sorted.add(Replies.text(name)));
            return sorted;
        });
    }

    /** In steps, one after the other: Redis would run scripts that arrive together without serving its other clients between them. */
    CompletableFuture<Map<Partition, PartitionStats>> stats(Collection<Partition> partitions) {
        return statsFrom(0, List.copyOf(partitions), new LinkedHashMap<>());
    }

    private CompletableFuture<Map<Partition, PartitionStats>> statsFrom(
            int first, List<Partition> all, Map<Partition, PartitionStats> sofar) {
        if (first >= all.size()) {
            return CompletableFuture.completedFuture(sofar);
        }
        int next = Math.min(first + MessageStore.LARGEST_STATS_STEP, all.size());
        return stepOf(all.subList(first, next)).thenCompose(step -> {
            sofar.putAll(step);
            return statsFrom(next, all, sofar);
        });
    }

    /** One script, or on a Cluster one for each partition, since their slots differ. */
    private CompletableFuture<Map<Partition, PartitionStats>> stepOf(List<Partition> step) {
        if (!topology.isSharded()) {
            return statsOf(step);
        }
        List<CompletableFuture<Map<Partition, PartitionStats>>> parts =
                step.stream().map(partition -> statsOf(List.of(partition))).toList();
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Map<Partition, PartitionStats> together = new LinkedHashMap<>();
            parts.forEach(part -> together.putAll(part.join()));
            return together;
        });
    }

    private CompletableFuture<Map<Partition, PartitionStats>> statsOf(List<Partition> partitions) {
        return scripts.runOnAll(Script.STATS, partitions, (List<Object> reply) -> Replies.stats(reply, partitions));
    }

    CompletableFuture<Partitioning> partitions(String topic) {
        return partitions(Partition.only(topic), 0, false, "");
    }

    CompletableFuture<Partitioning> increasePartitions(Partition partition, boolean paused) {
        return partitions(partition, partition.count(), paused, "");
    }

    CompletableFuture<Partitioning> forgetFormer(Partitioning searched) {
        String former = searched.former().stream().map(String::valueOf).collect(Collectors.joining(","));
        return partitions(searched.all().get(0), searched.partitions(), false, former);
    }

    private CompletableFuture<Partitioning> partitions(
            Partition partition, int partitions, boolean paused, String forgotten) {
        Arguments arguments = new Arguments()
                .add(partitions)
                .add(paused ? 1 : 0)
                .add(channels.publishArgument(partition))
                .add(forgotten);
        return scripts.run(
                Script.PARTITIONS,
                partition,
                arguments,
                (List<Object> reply) -> Replies.partitions(reply, partition.topic()));
    }

    CompletableFuture<IdStep> listIds(Partition partition, String cursor, int about) {
        return scripts.run(
                Script.LIST_IDS,
                partition,
                new Arguments().add(partition.count()).add(cursor).add(about),
                (List<Object> reply) -> new IdStep(
                        Replies.texts(reply.subList(3, reply.size())),
                        Replies.text(reply.get(0)),
                        Replies.number(reply.get(1)),
                        Replies.text(reply.get(2))));
    }

    CompletableFuture<Set<String>> present(Partition partition, Collection<String> ids) {
        byte[] messages = keys.of(partition).messages();
        List<CompletableFuture<Set<String>>> found = ids.stream()
                .map(id -> sender.<Boolean, Set<String>>send(
                        "schedule",
                        partition.topic(),
                        messages,
                        commands -> commands.hexists(messages, id.getBytes(StandardCharsets.UTF_8)),
                        null,
                        there -> there ? Set.of(id) : Set.of()))
                .toList();
        return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new)).thenApply(done -> {
            Set<String> together = new HashSet<>();
            found.forEach(id -> together.addAll(id.join()));
            return together;
        });
    }

    CompletableFuture<Void> setPaused(Partition partition, boolean paused) {
        byte[] meta = keys.of(partition).meta();
        byte[] field = "paused".getBytes(StandardCharsets.UTF_8);
        if (paused) {
            byte[] yes = {'1'};
            return sender.send(
                    "pause", partition.topic(), meta, commands -> commands.hset(meta, field, yes), null, added -> null);
        }
        return sender.<Long, Void>send(
                        "resume",
                        partition.topic(),
                        meta,
                        commands -> commands.hdel(meta, field),
                        null,
                        deleted -> null)
                .thenCompose(nothing -> wakeAll(partition));
    }

    /** A denied PUBLISH costs lateness only, as it does in the scripts. */
    private CompletableFuture<Void> wakeAll(Partition partition) {
        if (!channels.areUsed()) {
            return CompletableFuture.completedFuture(null);
        }
        byte[] channel = keys.of(partition).channel();
        byte[] now = {'0'};
        return sender.<Long, Void>send(
                        "resume",
                        partition.topic(),
                        channel,
                        commands -> topology.hasShardChannels()
                                ? commands.spublish(channel, now)
                                : commands.publish(channel, now),
                        null,
                        receivers -> null)
                .exceptionally(error -> null);
    }
}
