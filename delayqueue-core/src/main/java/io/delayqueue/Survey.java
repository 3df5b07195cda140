package io.delayqueue;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Compares a topic with another store that recorded its messages, and repairs differences: for a journal in a database, after Redis lost
 * data. Each call but {@link #mark} and {@link #partitions} blocks as those of {@link DelayQueueClient} do, and is bounded for Redis. If
 * Redis evicted the topic's number of partitions from a partition, a call writes it again. Safe for use by several threads.
 */
public interface Survey {

    /** Maximum number of ids in one call. */
    int MAX_IDS = 512;

    /** The marks of the topic's partitions, in their order. */
    List<PartitionMark> marks();

    /**
     * The number of partitions. If Redis knows of fewer than the caller has seen, the number is written again: Redis keeps it in the
     * partitions, which may be evicted. Does not block, as {@link #mark}.
     *
     * @param seen number of partitions that the topic has at least; 0 if the caller knows of none
     */
    CompletionStage<Integer> partitions(int seen);

    /**
     * The mark of a partition. Does not block: on a Cluster, a silent server delays the answer for its own partitions only.
     *
     * @param partition number of the partition, from 0
     */
    CompletionStage<PartitionMark> mark(int partition);

    /**
     * Messages of a partition, in no order: a page has some hundreds, even more than {@link #MAX_IDS}, or none. A message that is there
     * from the first page to the last is on one at least, and may be on several.
     *
     * @param partition number of the partition, from 0
     * @param cursor null for the first page, then {@link Page#next()} of the last one
     */
    Page page(int partition, @Nullable String cursor);

    /**
     * Finds the messages of ids, incomplete ones included.
     *
     * @param ids at most {@link #MAX_IDS}
     */
    Page find(Collection<String> ids);

    /**
     * Those of the ids whose message, if there is one, may be in one of these partitions.
     *
     * @param partitions numbers of partitions, from 0
     * @param ids at most {@link #MAX_IDS}
     */
    Set<String> idsIn(Set<Integer> partitions, Collection<String> ids);

    /**
     * Deletes messages that ended according to the other store, in whatever state Redis has them; those of another generation stay. They
     * are counted as purged. A handler that has one of them loses its lease.
     *
     * @param generations ids with generations, at most {@link #MAX_IDS}
     * @return number of messages deleted
     */
    long drop(Map<String, String> generations);

    /**
     * Gives scheduled messages other due times. A message that was changed since it was found, or has another generation, keeps its own.
     *
     * @param corrections of distinct ids, at most {@link #MAX_IDS}
     * @return number of messages that have their corrected due time
     */
    long correctDue(Collection<DueCorrection> corrections);

    /**
     * Begins another epoch of a partition; see {@link PartitionMark}. An {@link Outbox} refuses changes that were read before: Redis may
     * have forgotten that it applied them.
     *
     * @param partition number of the partition, from 0
     * @param expected the epoch that the caller compared with its store; null for none
     * @return the partition's mark after the call; if the partition no longer had the expected epoch, it may have that of another caller
     */
    PartitionMark beginEpoch(int partition, @Nullable String expected);

    /**
     * Another due time of a message that is scheduled or ready.
     *
     * @param id its id
     * @param generation tells it from other messages that have had its id
     * @param foundMicros {@link SurveyedMessage#dueMicros()} as it was found
     * @param dueMicros when it is to be due, in µs since the epoch by Redis' clock
     */
    record DueCorrection(String id, String generation, long foundMicros, long dueMicros) {}

    /**
     * A page of messages.
     *
     * @param messages the messages
     * @param timeMicros Redis' time when they were read, in µs since the epoch; the earliest if several calls were needed
     * @param next cursor of the next page; null after the last one
     */
    record Page(
            List<SurveyedMessage> messages,
            long timeMicros,
            @Nullable String next) {

        public Page {
            messages = List.copyOf(messages);
        }
    }
}
