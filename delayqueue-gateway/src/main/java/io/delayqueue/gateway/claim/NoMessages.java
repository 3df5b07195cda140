package io.delayqueue.gateway.claim;

/** The messages of an answer that has none. */
enum NoMessages implements AnsweredMessages {
    NONE;

    @Override
    public boolean isEmpty() {
        return true;
    }

    @Override
    public void renew() {}

    @Override
    public void beginLease() {}

    @Override
    public void confirm() {}

    @Override
    public void release() {}
}
