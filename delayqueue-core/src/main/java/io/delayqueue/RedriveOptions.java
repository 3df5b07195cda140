package io.delayqueue;

import java.time.Duration;

/**
 * When redriven messages are due: at once, after a delay, or one after the other. Immutable; {@link #builder()} refuses invalid
 * values in each setter.
 */
public final class RedriveOptions {

    /** Smallest rate: one message in about 17 minutes. So a hundred million of them are due before the year 9999. */
    public static final double MIN_RATE_PER_SECOND = 0.001;

    private static final RedriveOptions DEFAULTS = builder().build();

    private final Duration delay;
    private final double ratePerSecond;

    private RedriveOptions(Builder builder) {
        this.delay = builder.delay;
        this.ratePerSecond = builder.ratePerSecond;
    }

    /** All due at once. */
    public static RedriveOptions defaults() {
        return DEFAULTS;
    }

    /** A builder with every default. */
    public static Builder builder() {
        return new Builder();
    }

    /** Time until the first message is due. */
    public Duration delay() {
        return delay;
    }

    /** Messages that fall due in a second; 0 for all at once. */
    public double ratePerSecond() {
        return ratePerSecond;
    }

    @Override
    public String toString() {
        return "RedriveOptions[delay=" + delay + ", ratePerSecond=" + ratePerSecond + "]";
    }

    /** Collects options. Not safe for use by several threads. */
    public static final class Builder {

        private Duration delay = Duration.ZERO;
        private double ratePerSecond;

        private Builder() {}

        /** Time until the first message is due, not negative. Default 0. */
        public Builder delay(Duration delay) {
            if (delay.isNegative() || delay.compareTo(Delay.LONGEST) > 0) {
                throw new IllegalArgumentException("delay must be from 0 to " + Delay.LONGEST + ", but is " + delay);
            }
            this.delay = delay;
            return this;
        }

        /**
         * Messages that fall due in a second, at least {@link #MIN_RATE_PER_SECOND}: message number <i>i</i> is due after
         * {@code delay + i / ratePerSecond}. Default: all at once. The due times are written by the call, so nothing need keep running
         * for them. The rate limits due times, not handlers: after a backlog, messages that are overdue are delivered at once.
         */
        public Builder ratePerSecond(double ratePerSecond) {
            if (!(ratePerSecond >= MIN_RATE_PER_SECOND) || Double.isInfinite(ratePerSecond)) {
                throw new IllegalArgumentException(
                        "ratePerSecond must be at least " + MIN_RATE_PER_SECOND + ", but is " + ratePerSecond);
            }
            this.ratePerSecond = ratePerSecond;
            return this;
        }

        /** The finished options. */
        public RedriveOptions build() {
            return new RedriveOptions(this);
        }
    }
}
