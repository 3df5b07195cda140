package io.delayqueue.jdbc.restore;

import io.delayqueue.Survey;
import io.delayqueue.jdbc.restore.LossDetector.Finding;
import java.util.List;
import java.util.Optional;

/**
 * Compares a topic with Redis although the marks show no loss: keys may have been evicted, and records of ends may be missing.
 */
final class TopicComparison {

    private final RestoreContext context;
    private final String topic;
    private final TopicRestore restore;
    private final Survey survey;

    TopicComparison(RestoreContext context, String topic) {
        this.context = context;
        this.topic = topic;
        this.restore = new TopicRestore(context, topic);
        this.survey = context.client().survey(topic);
    }

    /**
     * Compares all messages, and repairs the differences. Messages that are gone are scheduled again if Redis has a part of them or knows
     * that it lost keys, and are finished else; due times of Redis hold; messages that ended are deleted.
     *
     * @param lostKeysBefore number of messages whose keys Redis knew to have lost at the last comparison
     * @return the number for the next one; empty if Redis may have lost data
     */
    Optional<Long> run(RestoreWork work, boolean dryRun, long lostKeysBefore) {
        TopicRestore.Check before = restore.check();
        if (!before.isIntact()) {
            return Optional.empty();
        }
        Repairs repairs = new Repairs(context, topic, survey, work.tally);
        long lostKeys = repairs.lostKeys();
        ComparisonPass pass = new ComparisonPass(
                context, topic, survey, work, context.settings().settleTime(), found -> {
                    if (dryRun || found.isEmpty()) {
                        return 0;
                    }
                    checkThatIntact(before);
                    return repairs.reconcile(found, lostKeysBefore);
                });
        pass.walk();
        pass.compareSuspiciousAgain();
        if (!dryRun) {
            pass.lookAtWaiting(TopicRefill.LOOKS_AT_WAITING);
        }
        checkThatIntact(before);
        restore.dropEnded(dryRun, work);
        // lost keys of a message that waits for its changes must not count as known to the next comparison, which would
        // take it for handled
        return Optional.of(pass.waiting().isEmpty() ? lostKeys + repairs.evicted() : LastComparison.UNKNOWN);
    }

    /** Shows that what was read from Redis since was all there. */
    private void checkThatIntact(TopicRestore.Check before) {
        TopicRestore.Check now = restore.check();
        if (!now.isIntact() || !before.findings().stream().allMatch(finding -> isKept(finding, now.findings()))) {
            throw new RestoreEndedException("Redis may have lost data of topic '" + topic + "' meanwhile");
        }
    }

    /** A partition that had no epoch was not in use: if it has one since, it was used for the first time, and has lost nothing. */
    private static boolean isKept(Finding before, List<Finding> now) {
        return before.mark().epoch() == null
                || now.stream()
                        .anyMatch(finding ->
                                finding.mark().partition() == before.mark().partition() && finding.hasEpochOf(before));
    }
}
