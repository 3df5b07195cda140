package io.delayqueue.internal.engine.consume;

import io.delayqueue.internal.engine.shared.ConsumerContext;
import io.delayqueue.internal.engine.shared.TopicPartitions;
import io.delayqueue.internal.store.Partitioning;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/** Finds out how many partitions a subscription has to consume: at its start, and when a partition tells another number. */
final class PartitionDiscovery {

    private final ConsumerContext context;
    private final String topic;
    private final TopicPartitions partitions;
    private final int wanted;
    private final IntConsumer consume;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile boolean known;

    /** @param consume is told how many partitions there are; more and more */
    PartitionDiscovery(ConsumerContext context, IntConsumer consume) {
        this.context = context;
        this.topic = context.topic();
        this.partitions = context.client().partitions();
        this.wanted = context.client().options().topic(topic).partitions();
        this.consume = consume;
    }

    /**
     * The topic has at least as many partitions as the options ask for. The number of the others follows as soon as Redis tells it:
     * until then, a server that is silent must not keep the partitions of other servers waiting.
     */
    void start() {
        consume.accept(wanted);
        askUnlessAsking(() -> partitions.of(topic));
    }

    /**
     * Takes over the number that a partition told.
     *
     * @param consumed how many partitions are consumed by now
     */
    void partitionCountIs(int told, int consumed) {
        if (told == consumed && known) {
            return;
        }
        Partitioning present = partitions.known(topic);
        if (told < consumed && known) {
            // the partition lost data: instances that start now would not find the messages in the others
            askUnlessAsking(() -> partitions.update(topic, consumed));
        } else if (present != null && present.partitions() >= told) {
            known = true;
            consume.accept(present.partitions());
        } else {
            askUnlessAsking(() -> told > consumed ? partitions.update(topic, told) : partitions.of(topic));
        }
    }

    private void askUnlessAsking(Supplier<CompletableFuture<Partitioning>> question) {
        if (asking.compareAndSet(false, true)) {
            ask(question);
        }
    }

    private void ask(Supplier<CompletableFuture<Partitioning>> question) {
        CompletableFuture<Partitioning> answer;
        try {
            answer = question.get();
        } catch (RuntimeException | Error e) {
            // the next claim that is answered asks again
            asking.set(false);
            context.callFailed(e);
            return;
        }
        answer.whenComplete((partitioning, error) -> {
            asking.set(false);
            if (error == null) {
                known = true;
                consume.accept(partitioning.partitions());
            }
        });
    }
}
