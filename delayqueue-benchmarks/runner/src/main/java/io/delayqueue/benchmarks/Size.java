package io.delayqueue.benchmarks;

/** How much is measured. */
public enum Size {
    /** For figures to believe. */
    FULL,
    /** To see in a minute that everything still works. */
    SMOKE;

    /** One or the other. */
    public <T> T pick(T full, T smoke) {
        return this == FULL ? full : smoke;
    }
}
