package io.delayqueue.jdbc.outbox;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the rows that this instance writes.
 *
 * @param sender random number of this instance, whose hand-over may send the rows that it wrote
 * @param sendTimeout time after which rows are free: relays send those that the hand-over did not
 * @param businessKey name of the header by which messages can be found quickly; null for none
 */
public record WriteSettings(
        long sender, Duration sendTimeout, @Nullable String businessKey) {

    /** Settings with a new number. */
    public static WriteSettings ofThisInstance(Duration sendTimeout, @Nullable String businessKey) {
        return new WriteSettings(ThreadLocalRandom.current().nextLong(), sendTimeout, businessKey);
    }
}
