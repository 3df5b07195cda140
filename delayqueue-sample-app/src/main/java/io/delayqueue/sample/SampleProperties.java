package io.delayqueue.sample;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the sample.
 *
 * @param paymentTimeout how long a customer has to pay
 * @param demo whether to place four orders at start
 * @param replay settings of the replay
 */
@ConfigurationProperties("sample")
public record SampleProperties(
        @DefaultValue("30s") Duration paymentTimeout,
        @DefaultValue("true") boolean demo,
        @DefaultValue Replay replay) {

    /**
     * Settings of the replay.
     *
     * @param orders path of a CSV file, or {@value #GENERATED} for an invented day; {@value #NONE} opens the shop instead
     * @param speed how many times faster than real time
     * @param paymentTimeout how long a customer has to pay, in the time of the orders
     * @param tolerance an order closed later than this after its due time, in real time, counts as late
     */
    public record Replay(
            @DefaultValue(NONE) String orders,
            @DefaultValue("3600") double speed,
            @DefaultValue("30m") Duration paymentTimeout,
            @DefaultValue("100ms") Duration tolerance) {

        /** Instead of a file: the day that the sample generates. */
        public static final String GENERATED = "generated";

        static final String NONE = "none";

        public Replay {
            if (!(speed > 0) || Double.isInfinite(speed)) {
                throw new IllegalArgumentException("sample.replay.speed must be positive, not " + speed);
            }
        }

        boolean isWanted() {
            return !orders.equals(NONE);
        }
    }
}
