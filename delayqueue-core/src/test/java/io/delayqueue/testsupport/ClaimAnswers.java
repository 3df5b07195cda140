package io.delayqueue.testsupport;

import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import java.util.List;

/** Answers to claims, for a {@link SleepyStore}. */
public final class ClaimAnswers {

    private static final long NOW = SleepyStore.NOW;

    /** There are no messages. */
    public static final ClaimAnswer NOTHING =
            StoreCalls.claimAnswer(NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 0, 0);

    private ClaimAnswers() {}

    /** An answer with these messages, after which there may be more. */
    public static ClaimAnswer more(Claimed... claimed) {
        return StoreCalls.claimAnswer(NOW, 0, false, List.of(claimed), List.of(), List.of(), List.of(), 0, 1, 0, 0, 0);
    }

    /** An answer without messages: a suspect is due. */
    public static ClaimAnswer suspectDue() {
        return new ClaimAnswer(NOW, -1, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 0, 0, 0, -1);
    }

    /** An answer without messages, which says when others rely on this consumer's next claim. */
    public static ClaimAnswer expecting(long waitMicros, long expectedMicros) {
        return new ClaimAnswer(
                NOW, waitMicros, false, List.of(), List.of(), List.of(), List.of(), 0, 1, 0, 0, 0, -1, expectedMicros);
    }

    /** An answer that ended expired leases and did nothing else: others go on to rely on this consumer. */
    public static ClaimAnswer endingLeases(String... ids) {
        return new ClaimAnswer(NOW, 0, false, List.of(), List.of(), List.of(ids), List.of(), 0, 1, 0, 0, 0, -1, 0);
    }

    /** An answer with these messages, after which there may be more, which says when others rely on this consumer's next claim. */
    public static ClaimAnswer moreExpecting(long expectedMicros, Claimed... claimed) {
        return new ClaimAnswer(
                NOW, 0, false, List.of(claimed), List.of(), List.of(), List.of(), 0, 1, 0, 0, 0, -1, expectedMicros);
    }

    /** An answer with these messages, after which there is nothing for so long. */
    public static ClaimAnswer waiting(long waitMicros, Claimed... claimed) {
        return StoreCalls.claimAnswer(
                NOW, waitMicros, false, List.of(claimed), List.of(), List.of(), List.of(), 0, 1, 0, 0, 0);
    }
}
