package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

/**
 * The findings of the oracle.
 *
 * @param lost committed messages that were never handled to the end, and had to be
 * @param uncommitted deliveries of messages that no transaction committed
 * @param early deliveries before the message was due
 * @param superseded deliveries of messages that a later change of their id had cancelled or replaced
 * @param repeated further deliveries without a cause
 * @param misrecorded messages that were delivered although the journal says that Redis refused them
 * @param revived deliveries of messages whose end was in the journal already
 * @param failed calls that failed without a cause
 * @param delivered messages that were delivered
 * @param duplicates further deliveries that a fault explains
 */
record Verdict(
        List<String> lost,
        List<String> uncommitted,
        List<String> early,
        List<String> superseded,
        List<String> repeated,
        List<String> misrecorded,
        List<String> revived,
        List<String> failed,
        int delivered,
        int duplicates) {

    /** All messages that prove something wrong. */
    List<String> findings() {
        return Stream.of(lost, uncommitted, early, superseded, repeated, misrecorded, revived, failed)
                .flatMap(List::stream)
                .toList();
    }

    boolean isSound() {
        return findings().isEmpty();
    }

    void requireSound() {
        assertThat(this)
                .extracting(
                        Verdict::lost,
                        Verdict::uncommitted,
                        Verdict::early,
                        Verdict::superseded,
                        Verdict::repeated,
                        Verdict::misrecorded,
                        Verdict::revived,
                        Verdict::failed)
                .as("lost, uncommitted, early, superseded, repeated, misrecorded, revived, failed")
                .containsOnly(List.of());
    }
}
