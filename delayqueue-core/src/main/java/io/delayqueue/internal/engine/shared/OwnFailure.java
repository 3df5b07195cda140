package io.delayqueue.internal.engine.shared;

import io.delayqueue.ClientOverloadedException;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.ReplicationTimeoutException;
import io.delayqueue.TopicFullException;
import io.delayqueue.UnexpectedReplyException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Gives a caller an exception of its own for a failure that it shares with others. It has the same type, the caller's topic and id, and
 * the shared one as its cause, which nobody changes.
 */
public final class OwnFailure {

    private static final Map<Class<?>, Constructor> CONSTRUCTORS = Map.of(
            ClientOverloadedException.class, ClientOverloadedException::new,
            DelayQueueClosedException.class, DelayQueueClosedException::new,
            RedisAccessDeniedException.class, RedisAccessDeniedException::new,
            RedisFullException.class, RedisFullException::new,
            RedisUnavailableException.class, RedisUnavailableException::new,
            TopicFullException.class, TopicFullException::new,
            UnexpectedReplyException.class, UnexpectedReplyException::new);

    private OwnFailure() {}

    /** The caller's own exception, with the text of the shared one. */
    public static DelayQueueException of(Throwable shared, @Nullable String topic, @Nullable String id) {
        if (shared instanceof ReplicationTimeoutException few) {
            return new ReplicationTimeoutException(few.replicas(), few.required(), topic, id, few);
        }
        String text = shared instanceof DelayQueueException ? shared.getMessage() : "the call failed: " + shared;
        return of(shared, text + subject(topic, id), topic, id);
    }

    /** The caller's own exception, with a text of its own. */
    public static DelayQueueException of(Throwable shared, String text, @Nullable String topic, @Nullable String id) {
        return CONSTRUCTORS
                .getOrDefault(shared.getClass(), DelayQueueException::new)
                .create(text, topic, id, shared);
    }

    private static String subject(@Nullable String topic, @Nullable String id) {
        if (id != null) {
            return " (message '" + id + "' of topic '" + topic + "')";
        }
        return topic == null ? "" : " (topic '" + topic + "')";
    }

    private interface Constructor {
        DelayQueueException create(String text, @Nullable String topic, @Nullable String id, @Nullable Throwable cause);
    }
}
