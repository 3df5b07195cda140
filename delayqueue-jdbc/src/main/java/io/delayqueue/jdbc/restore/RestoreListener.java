package io.delayqueue.jdbc.restore;

/** Is told of losses and restores, on the thread that restores: return quickly. */
public interface RestoreListener {

    /** Ignores everything. */
    RestoreListener NONE = new RestoreListener() {};

    /** Redis lost data of a partition. */
    default void lossDetected(RedisLossDetectedEvent event) {}

    /** A restore that began by itself has ended. */
    default void restoreFinished(RestoreFinishedEvent event) {}
}
