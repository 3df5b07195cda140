package io.delayqueue.internal.engine.shared;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.RedisUnavailableException;

/**
 * The collaborators that the parts of one subscription, or of one pull consumer, share.
 *
 * @param topic consumed
 * @param options of the consumer
 * @param client shared by all topics
 * @param topicLog warns while this topic fails and Redis as a whole does not
 */
public record ConsumerContext(String topic, ConsumerOptions options, ClientContext client, ThrottledLog topicLog) {

    /** Logs a failed call, throttled: once for all topics if Redis can't be reached. */
    public void callFailed(Throwable error) {
        (error instanceof RedisUnavailableException ? client.redisLog() : topicLog).failed(error);
    }

    /** Logs the end of a failure, if there was one. */
    public void callSucceeded() {
        client.redisLog().succeeded();
        topicLog.succeeded();
    }
}
