package io.delayqueue.internal.engine;

import io.delayqueue.internal.engine.shared.ClientContext;
import java.util.function.BiConsumer;

/**
 * The parts that all outboxes of a client share.
 *
 * @param client of the client
 * @param checks refuses calls
 * @param failures makes exceptions for callers
 * @param topics registers topics
 * @param scheduler reports messages that were rejected, as those of other calls
 * @param earlierHead told the topic, and the µs until its new first message is due
 * @param memory partitions that remember changes
 * @param epochs of partitions
 */
record OutboxContext(
        ClientContext client,
        CallChecks checks,
        CallFailures failures,
        RegisteredTopics topics,
        MessageScheduler scheduler,
        BiConsumer<String, Long> earlierHead,
        AppliedMemory memory,
        KnownEpochs epochs) {}
