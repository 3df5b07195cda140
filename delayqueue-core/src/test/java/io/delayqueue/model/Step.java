package io.delayqueue.model;

/** One operation on the real store and the model. It compares the answers; the state is compared after it. */
interface Step {

    void run(Session session);
}
