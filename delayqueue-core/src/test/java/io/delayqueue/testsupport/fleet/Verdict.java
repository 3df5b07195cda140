package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

/**
 * The result of judging the log of a topic.
 *
 * @param intended messages that a worker was about to schedule
 * @param acknowledged those whose call returned
 * @param observed messages that reached a handler
 * @param lost ids acknowledged whose handler never completed
 * @param invented ids handled that no worker scheduled
 * @param early deliveries that began before their message was due, by Redis' clock
 * @param late first deliveries that began too long after they were due and the last fault was over
 * @param duplicates deliveries beyond the first of their message, by cause
 * @param unexplained duplicates without a cause
 */
public record Verdict(
        int intended,
        int acknowledged,
        int observed,
        List<String> lost,
        List<String> invented,
        List<String> early,
        List<String> late,
        Map<DuplicateCause, Integer> duplicates,
        List<String> unexplained) {

    /** Fails unless all promises hold. */
    public void requireSound() {
        assertThat(lost).as("lost").isEmpty();
        assertThat(invented).as("invented").isEmpty();
        assertThat(early).as("early").isEmpty();
        assertThat(late).as("late").isEmpty();
        assertThat(unexplained).as("delivered again without a cause").isEmpty();
    }

    /** Number of deliveries beyond the first of their message. */
    public int duplicateCount() {
        return duplicates.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Why a message was delivered more than once. */
    public enum DuplicateCause {
        /** Its process was killed before Redis confirmed the ack, and its lease was over. */
        CRASH,
        /** A fault hit its worker before Redis confirmed the ack, and its lease was over. */
        LEASE_LOST,
        /** It was handled before its schedule call was answered, and the call was repeated. */
        SCHEDULE_REPEATED
    }
}
