package io.delayqueue.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the sample.
 *
 * @param paymentTimeout how long a customer has to pay
 * @param demo whether to place a few orders at start
 * @param replay what to replay, and how
 */
@ConfigurationProperties("sample")
public record SampleProperties(
        @DefaultValue("30s") Duration paymentTimeout,
        @DefaultValue("true") boolean demo,
        @DefaultValue Replay replay) {

    /**
     * Settings of the replay.
     *
     * @param file a file, or a resource on the class path; {@value #NOTHING}: open the shop instead
     * @param speed how many times faster than real time
     * @param paymentTimeout how long a customer has to pay, in the file's time
     * @param tolerance closing an order so much after its due time, in real time, counts as late
     */
    public record Replay(
            @DefaultValue(NOTHING) String file,
            @DefaultValue("3600") double speed,
            @DefaultValue("30m") Duration paymentTimeout,
            @DefaultValue("100ms") Duration tolerance) {

        static final String NOTHING = "none";

        public Replay {
            if (!(speed > 0) || Double.isInfinite(speed)) {
                throw new IllegalArgumentException("sample.replay.speed must be positive, not " + speed);
            }
        }

        boolean isWanted() {
            return !file.equals(NOTHING);
        }
    }
}
