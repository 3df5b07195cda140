package io.delayqueue.internal.redis;

import io.delayqueue.CancelOutcome;
import io.delayqueue.MessageState;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.TopicStats;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.MessageStore.DeleteStep;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.PartitionStats;
import io.delayqueue.internal.store.Partitioning;
import io.delayqueue.internal.store.RescheduleAnswer;
import io.delayqueue.internal.store.ScheduleAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the replies of the scripts. A reply that does not fit fails with any runtime exception, which is reported as an
 * unexpected reply.
 */
final class Replies {

    private Replies() {}

    static ScheduleAnswer schedule(List<Object> reply, int count) {
        byte[] letters = letters(reply.get(0), count);
        List<@Nullable ScheduleOutcome> outcomes = new ArrayList<>(count);
        int duplicates = 0;
        for (byte letter : letters) {
            duplicates += letter == 'K' || letter == 'D' ? 1 : 0;
            outcomes.add(
                    switch (letter) {
                        case 'S' -> ScheduleOutcome.SCHEDULED;
                        case 'R' -> ScheduleOutcome.REPLACED;
                        case 'K' -> ScheduleOutcome.KEPT;
                        case 'D' -> ScheduleOutcome.REJECTED_DUPLICATE;
                        case 'F' -> null;
                        default -> throw unknown(letter);
                    });
        }
        List<MessageState> existing = duplicates == 0 ? List.of() : states(letters(reply.get(2), duplicates));
        return new ScheduleAnswer(outcomes, existing, number(reply.get(1)));
    }

    static List<MessageState> states(byte[] letters) {
        List<MessageState> states = new ArrayList<>(letters.length);
        for (byte letter : letters) {
            states.add(
                    switch (letter) {
                        case 'S' -> MessageState.SCHEDULED;
                        case 'R' -> MessageState.READY;
                        case 'I' -> MessageState.IN_FLIGHT;
                        case 'D' -> MessageState.DEAD;
                        default -> throw unknown(letter);
                    });
        }
        return states;
    }

    static List<Boolean> done(byte[] reply, int count) {
        List<Boolean> done = new ArrayList<>(count);
        for (byte digit : letters(reply, count)) {
            if (digit != '0' && digit != '1') {
                throw unknown(digit);
            }
            done.add(digit == '1');
        }
        return done;
    }

    static List<Long> receipts(List<Object> reply, List<Extension> extensions) {
        if (reply.size() != extensions.size()) {
            throw new IllegalStateException(reply.size() + " answers to " + extensions.size() + " messages");
        }
        List<Long> receipts = new ArrayList<>(reply.size());
        for (int i = 0; i < reply.size(); i++) {
            long receipt = number(reply.get(i));
            Extension extension = extensions.get(i);
            if (receipt != -1
                    && !extension.keepsReceipt()
                    && receipt < extension.lease().receipt()) {
                throw new IllegalStateException("receipt " + receipt + " is earlier than "
                        + extension.lease().receipt());
            }
            receipts.add(receipt);
        }
        return receipts;
    }

    static List<CancelOutcome> cancel(byte[] reply, int count) {
        List<CancelOutcome> outcomes = new ArrayList<>(count);
        for (byte letter : letters(reply, count)) {
            outcomes.add(
                    switch (letter) {
                        case 'C' -> CancelOutcome.CANCELLED;
                        case 'I' -> CancelOutcome.IN_FLIGHT;
                        case 'N' -> CancelOutcome.NOT_FOUND;
                        default -> throw unknown(letter);
                    });
        }
        return outcomes;
    }

    static RescheduleAnswer reschedule(List<Object> reply, int count) {
        List<RescheduleOutcome> outcomes = new ArrayList<>(count);
        for (byte letter : letters(reply.get(0), count)) {
            outcomes.add(
                    switch (letter) {
                        case 'R' -> RescheduleOutcome.RESCHEDULED;
                        case 'I' -> RescheduleOutcome.IN_FLIGHT;
                        case 'N' -> RescheduleOutcome.NOT_FOUND;
                        default -> throw unknown(letter);
                    });
        }
        return new RescheduleAnswer(outcomes, number(reply.get(1)));
    }

    static Map<Partition, PartitionStats> stats(List<Object> reply, List<Partition> partitions) {
        Map<Partition, PartitionStats> stats = new LinkedHashMap<>();
        Instant now = Micros.instant(number(reply.get(0)));
        for (int i = 0; i < partitions.size(); i++) {
            long[] n =
                    list(reply.get(i + 1)).stream().mapToLong(Replies::number).toArray();
            stats.put(
                    partitions.get(i),
                    new PartitionStats(topicStats(partitions.get(i).topic(), n, now), (int) n[7]));
        }
        return stats;
    }

    private static TopicStats topicStats(String topic, long[] n, Instant now) {
        return new TopicStats(
                topic,
                new TopicStats.Pending(n[0], n[1], instantOrNull(n[2]), instantOrNull(n[3])),
                n[4],
                n[5],
                new TopicStats.Totals(n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17], n[18]),
                now,
                n[6] == 1);
    }

    static DeleteStep deleteStep(byte[] reply) {
        byte letter = letters(reply, 1)[0];
        return switch (letter) {
            case 'D' -> DeleteStep.DELETED;
            case 'N' -> DeleteStep.ABSENT;
            case 'A' -> DeleteStep.UNFINISHED;
            case 'M' -> DeleteStep.NOT_EMPTY;
            default -> throw unknown(letter);
        };
    }

    static Partitioning partitions(List<Object> reply, String topic) {
        List<Integer> former = reply.subList(2, reply.size()).stream()
                .map(count -> (int) number(count))
                .toList();
        return new Partitioning(topic, (int) number(reply.get(0)), number(reply.get(1)) == 1, former);
    }

    static long number(Object value) {
        return (Long) value;
    }

    static String text(Object value) {
        return new String((byte[]) value, StandardCharsets.UTF_8);
    }

    static List<String> ids(List<Object> reply) {
        return reply.stream().map(Replies::text).toList();
    }

    static List<Long> numbers(List<Object> reply) {
        return reply.stream().map(Replies::number).toList();
    }

    static List<String> texts(Object value) {
        return list(value).stream().map(Replies::text).toList();
    }

    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    static byte[] letters(Object value, int count) {
        byte[] letters = (byte[]) value;
        if (letters.length != count) {
            throw new IllegalStateException(
                    letters.length + " answers to " + count + " messages: " + Arrays.toString(letters));
        }
        return letters;
    }

    private static @Nullable Instant instantOrNull(long micros) {
        return micros < 0 ? null : Micros.instant(micros);
    }

    static IllegalStateException unknown(byte letter) {
        return new IllegalStateException("unknown answer '" + (char) letter + "'");
    }
}
