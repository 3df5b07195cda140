package io.delayqueue.internal.redis;

import io.delayqueue.Delay;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.OutboxBatch;
import io.delayqueue.internal.store.Partition;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Builds the ARGV of the script {@code outbox}, as its header lists it. */
final class OutboxRequest {

    private OutboxRequest() {}

    static Arguments of(Supplier<byte[]> channel, long maxPending, Partition partition, OutboxBatch batch) {
        List<OutboxOperation> operations = batch.operations();
        Instant now = Instant.now();
        StringBuilder letters = new StringBuilder(operations.size());
        PackedArray tokens = new PackedArray(operations.size() * 10);
        PackedArray items = new PackedArray(operations.size() * 256);
        PackedArray dues = new PackedArray(operations.size() * 9);
        boolean haveDues = false;
        for (OutboxOperation operation : operations) {
            char letter = letter(operation);
            letters.append(partition.isOf(operation.id()) ? letter : Character.toLowerCase(letter));
            tokens.add(bytes(operation.token()));
            items.add(bytes(operation.id()));
            if (operation instanceof OutboxOperation.Schedule schedule) {
                items.add(Envelope.encode(schedule.message(), now));
            }
            Delay delay = delay(operation);
            if (delay != null) {
                dues.add(Micros.due(delay));
                haveDues = true;
            }
        }
        return new Arguments()
                .add(channel)
                .add(maxPending)
                .add(partition.count())
                .add(batch.readAfterMicros())
                .add(batch.options().sendTimeout())
                .add(batch.options().remembered())
                .add(OutboxOperation.newToken())
                .add(letters.toString())
                .add(commonPriority(operations))
                .add(tokens.toBytes())
                .add(items.toBytes())
                .add(haveDues ? dues.toBytes() : new byte[0])
                .add(batch.knownEpoch() == null ? "" : batch.knownEpoch());
    }

    private static char letter(OutboxOperation operation) {
        if (operation instanceof OutboxOperation.Schedule schedule) {
            return Requests.letter(schedule.message().duplicatePolicy());
        }
        return operation instanceof OutboxOperation.Cancel ? 'C' : 'M';
    }

    private static @Nullable Delay delay(OutboxOperation operation) {
        if (operation instanceof OutboxOperation.Schedule schedule) {
            return schedule.message().delay();
        }
        return operation instanceof OutboxOperation.Reschedule reschedule ? reschedule.delay() : null;
    }

    private static String commonPriority(List<OutboxOperation> operations) {
        List<OutgoingMessage> messages = operations.stream()
                .filter(OutboxOperation.Schedule.class::isInstance)
                .map(operation -> ((OutboxOperation.Schedule) operation).message())
                .toList();
        return messages.isEmpty() ? "" : Requests.commonPriority(messages);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
