package io.delayqueue.dashboard.read;

import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A problem of a topic, a listener or an instance that an operator should look at.
 *
 * @param kind kind of the problem
 * @param topic its topic
 * @param count number of messages that it is about
 * @param since when it began; null if unknown
 * @param listener id of the listener that it is about; null if about none
 * @param instance instance that it is about; null if about none, or unknown
 */
public record Attention(
        Kind kind,
        String topic,
        long count,
        @Nullable Instant since,
        @Nullable String listener,
        @Nullable String instance) {

    /** Reasons for attention, worst first. */
    public enum Kind {
        /** Messages are due and not claimed. */
        OVERDUE("overdue"),
        /** Messages are in flight although a lease has ended: its instance has stopped, and no other takes over. */
        LEASES_EXPIRED("leasesExpired"),
        /** A listener of this process is stopped. */
        LISTENER_STOPPED("listenerStopped"),
        /** A listener of this process can't consume. */
        LISTENER_UNHEALTHY("listenerUnhealthy"),
        /** Messages became dead letters. */
        DEAD_GROWING("deadGrowing"),
        /** Messages are neither in Redis nor counted as ended. */
        UNACCOUNTED("unaccounted"),
        /** The topic is paused. */
        PAUSED("paused");

        private final String code;

        Kind(String code) {
            this.code = code;
        }

        /** Its name in JSON. */
        @JsonValue
        public String code() {
            return code;
        }
    }
}
