package io.delayqueue.jdbc.restore;

import io.delayqueue.PartitionMark;
import org.jspecify.annotations.Nullable;

/**
 * The state of a partition that the journal knows.
 *
 * @param expectedEpoch the epoch whose answers are recorded; null before the first
 * @param sent most changes that an instance sent in that epoch
 * @param ended most messages that an instance saw end in that epoch
 * @param remove the epoch since which ended messages are to be removed; null if none are
 * @param refill the epoch since which unfinished messages are to be scheduled again; null if none are
 * @param loss how the loss showed that is to be repaired
 * @param lostBefore whether a loss was found when the expected epoch took the place of the one before, repaired or not
 * @param refilledMicros messages due until then were scheduled again by a refill that did not come to its end, or may have been;
 *     {@link #NOT_BEGUN} if none began
 */
record KnownPartition(
        @Nullable String expectedEpoch,
        long sent,
        long ended,
        @Nullable String remove,
        @Nullable String refill,
        Loss loss,
        boolean lostBefore,
        long refilledMicros) {

    static final long NOT_BEGUN = Long.MIN_VALUE;

    static final KnownPartition UNKNOWN = new KnownPartition(null, 0, 0, null, null, Loss.NONE, false, NOT_BEGUN);

    /** The epoch since which there is {@linkplain KnownPartitions#REMOVE work} to be done; null if there is none. */
    @Nullable
    String since(String work) {
        return work.equals(KnownPartitions.REMOVE) ? remove : refill;
    }

    boolean isLost() {
        return remove != null || refill != null;
    }

    /** The loss that Redis' present mark of the partition shows against the expected epoch and the counters of the journal. */
    Loss compare(PartitionMark mark) {
        if (expectedEpoch == null) {
            return Loss.NONE;
        }
        if (mark.epoch() == null) {
            return Loss.EMPTY;
        }
        if (expectedEpoch.equals(mark.epoch())) {
            return setBack(mark);
        }
        // the counters with which the epoch ended: those of the present one are raised by what was sent since
        PartitionMark former = mark.former();
        return former != null && expectedEpoch.equals(former.epoch()) ? setBack(former) : Loss.OTHER_EPOCH;
    }

    private Loss setBack(PartitionMark mark) {
        return mark.sent() < sent || mark.ended() < ended ? Loss.SET_BACK : Loss.NONE;
    }

    /** The same if an instance saw these counters too. */
    KnownPartition with(@Nullable PartitionMark seen) {
        return seen == null || !String.valueOf(expectedEpoch).equals(seen.epoch())
                ? this
                : new KnownPartition(
                        expectedEpoch,
                        Math.max(sent, seen.sent()),
                        Math.max(ended, seen.ended()),
                        remove,
                        refill,
                        loss,
                        lostBefore,
                        refilledMicros);
    }
}
