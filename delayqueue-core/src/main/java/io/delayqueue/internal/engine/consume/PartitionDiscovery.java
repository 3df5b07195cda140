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

    private final String topic;
    private final TopicPartitions partitions;
    private final IntConsumer consume;
    private final AtomicBoolean asking = new AtomicBoolean();
    private volatile boolean known;

    /** @param consume is told how many partitions there are; more and more */
    PartitionDiscovery(ConsumerContext context, IntConsumer consume) {
        this.topic = context.topic();
        this.partitions = context.client().partitions();
        this.consume = consume;
    }

    /** Every topic has a first partition. The number of the others follows as soon as Redis tells it. */
    void start() {
        consume.accept(1);
        ask(partitions.of(topic));
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
        if (!asking.get()) {
            ask(question.get());
        }
    }

    private void ask(CompletableFuture<Partitioning> answer) {
        asking.set(true);
        answer.whenComplete((partitioning, error) -> {
            asking.set(false);
            if (error == null) {
                known = true;
                consume.accept(partitioning.partitions());
            }
        });
    }
}
