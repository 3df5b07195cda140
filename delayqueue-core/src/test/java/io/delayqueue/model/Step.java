package io.delayqueue.model;

/** One operation, done to the real store and to the model; its answer is compared at once, the state after it. */
interface Step {

    void run(Session session);
}
