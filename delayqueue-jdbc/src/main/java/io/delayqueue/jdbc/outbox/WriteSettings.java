package io.delayqueue.jdbc.outbox;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the rows that this instance writes.
 *
 * @param claim random number of this instance: its hand-over owns the rows that it wrote
 * @param claimTimeout time after which relays send rows that the hand-over did not send
 * @param businessKey name of the header by which messages can be found quickly; null for none
 */
public record WriteSettings(
        long claim, Duration claimTimeout, @Nullable String businessKey) {

    /** Settings with a new number. */
    public static WriteSettings ofThisInstance(Duration claimTimeout, @Nullable String businessKey) {
        return new WriteSettings(ThreadLocalRandom.current().nextLong(), claimTimeout, businessKey);
    }
}
