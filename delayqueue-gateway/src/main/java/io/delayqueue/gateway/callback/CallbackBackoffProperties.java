package io.delayqueue.gateway.callback;

import java.time.Duration;
import java.util.List;

/** Properties of the delays between the attempts of a callback. */
public class CallbackBackoffProperties {

    /**
     * Delay after the first attempt.
     */
    private Duration initial = Duration.ofSeconds(5);

    /**
     * Growth of the delay with each attempt.
     */
    private double multiplier = 2;

    /**
     * Maximum delay.
     */
    private Duration max = Duration.ofHours(1);

    /**
     * Share of the delay, 0 to 1, by which it varies at random.
     */
    private double jitter = 0.2;

    /**
     * Delay after the first attempt, after the second and so on; takes precedence over the other settings.
     */
    private List<Duration> delays = List.of();

    public Duration getInitial() {
        return initial;
    }

    public void setInitial(Duration initial) {
        this.initial = initial;
    }

    public double getMultiplier() {
        return multiplier;
    }

    public void setMultiplier(double multiplier) {
        this.multiplier = multiplier;
    }

    public Duration getMax() {
        return max;
    }

    public void setMax(Duration max) {
        this.max = max;
    }

    public double getJitter() {
        return jitter;
    }

    public void setJitter(double jitter) {
        this.jitter = jitter;
    }

    public List<Duration> getDelays() {
        return delays;
    }

    public void setDelays(List<Duration> delays) {
        this.delays = delays;
    }
}
