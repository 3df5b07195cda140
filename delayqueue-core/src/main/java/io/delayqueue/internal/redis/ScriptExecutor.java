package io.delayqueue.internal.redis;

import io.delayqueue.DelayQueueObserver;
import io.delayqueue.PartitionMark;
import io.delayqueue.internal.store.Partition;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs scripts by their digest, and sends the source where Redis does not know the script. */
final class ScriptExecutor implements PartitionScripts {

    private static final Logger log = LoggerFactory.getLogger(ScriptExecutor.class);

    private final CommandSender sender;
    private final Keys keys;
    private final DelayQueueObserver observer;
    private final long connection;

    ScriptExecutor(CommandSender sender, Keys keys, DelayQueueObserver observer) {
        this(sender, keys, observer, CommandSender.ANY_CONNECTION);
    }

    private ScriptExecutor(CommandSender sender, Keys keys, DelayQueueObserver observer, long connection) {
        this.sender = sender;
        this.keys = keys;
        this.observer = observer;
        this.connection = connection;
    }

    /** Runs scripts over the connection with this number only. */
    ScriptExecutor bound(long number) {
        return new ScriptExecutor(sender, keys, observer, number);
    }

    @Override
    public <R, T> CompletableFuture<T> run(
            Script script, Partition partition, Arguments arguments, Function<? super R, ? extends T> decoder) {
        return run(script, partition.topic(), keys.of(partition).first(script.keyCount()), arguments, decoder);
    }

    /** Runs a script on the keys of several partitions, one after the other. */
    <R, T> CompletableFuture<T> runOnAll(
            Script script, List<Partition> partitions, Function<? super R, ? extends T> decoder) {
        byte[][] all = partitions.stream()
                .flatMap(partition -> Arrays.stream(keys.of(partition).first(script.keyCount())))
                .toArray(byte[][]::new);
        return run(script, null, all, new Arguments(), decoder);
    }

    /** Runs a script on any keys. */
    <R, T> CompletableFuture<T> run(
            Script script,
            @Nullable String topic,
            byte[][] some,
            Arguments arguments,
            Function<? super R, ? extends T> decoder) {
        long begun = System.nanoTime();
        CompletableFuture<T> result = sender.<R, T>send(
                script.label(),
                topic,
                some[0],
                commands -> commands.evalsha(script.digest(), script.output(), some, arguments.toArray()),
                commands -> commands.eval(script.source(), script.output(), some, arguments.toArray()),
                decoder,
                connection);
        if (observer != DelayQueueObserver.NONE) {
            result.whenComplete((value, error) -> report(script, begun, error));
        }
        return result;
    }

    private void report(Script script, long begun, @Nullable Throwable error) {
        notifyObserver(each -> each.redisCall(script.label(), Duration.ofNanos(System.nanoTime() - begun), error));
    }

    /** Tells the observer of the mark at the end of an answer, before the caller is told that messages ended. */
    void notifyMark(Partition partition, List<Object> reply) {
        if (reply.size() > 1) {
            PartitionMark mark = OutboxReplies.markOf(partition, reply.subList(1, reply.size()));
            notifyObserver(observer -> observer.marked(mark));
        }
    }

    private void notifyObserver(Consumer<DelayQueueObserver> event) {
        try {
            event.accept(observer);
        } catch (RuntimeException e) {
            log.warn("A DelayQueueObserver failed on the reply of a script", e);
        }
    }
}
