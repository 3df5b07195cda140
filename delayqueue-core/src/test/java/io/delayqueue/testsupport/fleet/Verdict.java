package io.delayqueue.testsupport.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;

/**
 * What the logs of all workers say about a topic.
 *
 * @param intended messages that somebody meant to schedule
 * @param acknowledged of those, the ones whose call returned
 * @param observed messages that reached a handler
 * @param lost ids acknowledged and never handled to the end
 * @param invented ids handled that nobody meant to schedule
 * @param early deliveries that began before their message was due, by Redis' clock
 * @param duplicates deliveries beyond the first of their message, by cause
 * @param unexplained those without a cause
 */
public record Verdict(
        int intended,
        int acknowledged,
        int observed,
        List<String> lost,
        List<String> invented,
        List<String> early,
        Map<DuplicateCause, Integer> duplicates,
        List<String> unexplained) {

    /** Fails unless all went as promised. */
    public void requireSound() {
        assertThat(lost).as("lost").isEmpty();
        assertThat(invented).as("invented").isEmpty();
        assertThat(early).as("early").isEmpty();
        assertThat(unexplained).as("delivered again without a cause").isEmpty();
    }

    /** Why a message was delivered more than once. */
    public enum DuplicateCause {
        /** The process that had it was killed before Redis had confirmed its ack. */
        CRASH,
        /** Its lease was over before Redis heard of the end of its handling. */
        LEASE_LOST,
        /** It was handled before the call that scheduled it got an answer, and then that call was sent again. */
        SCHEDULE_REPEATED
    }
}
