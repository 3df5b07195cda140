package io.delayqueue.model;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The options of a random message. */
record MessageSpec(
        String id,
        Times time,
        DuplicatePolicy policy,
        int priority,
        @Nullable Integer maxAttempts,
        TimeToLive timeToLive,
        int shift) {

    enum TimeToLive {
        NONE,
        /** Over for a message that was due long ago. */
        SHORT,
        LONG
    }

    /** @param ownId the id that stands for this one in the message's partition */
    OutgoingMessage toMessage(String topic, String ownId) {
        OutgoingMessage.Builder message = OutgoingMessage.to(topic)
                .id(ownId)
                .payload(("payload " + shift).getBytes(StandardCharsets.UTF_8))
                .delay(time.delay(shift))
                .priority(priority)
                .ifExists(policy)
                .header("shift", Integer.toString(shift));
        if (maxAttempts != null) {
            message.maxAttempts(maxAttempts);
        }
        if (timeToLive != TimeToLive.NONE) {
            message.timeToLive(timeToLive == TimeToLive.SHORT ? Times.SHORT_TIME_TO_LIVE : Duration.ofDays(1000));
        }
        return message.build();
    }
}
