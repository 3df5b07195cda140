package io.delayqueue.spring.operator;

/**
 * The outcome of an operation, and the number of messages that it changed.
 *
 * @param outcome what happened
 * @param count number of messages that were changed; 0 for a topic that was paused or resumed
 */
public record OperationResult(Outcome outcome, long count) {

    /** The outcome of an operation. */
    public enum Outcome {
        /** It was done. */
        DONE,
        /**
         * A journal has recorded it, and Redis has not answered yet: it is done once Redis answers, or turns out to be too late. The
         * count is 0.
         */
        RECORDED,
        /** Nothing was done: a consumer has the message. */
        IN_FLIGHT,
        /** Nothing was done: there is no such topic, or none of the messages is in the state that the operation needs. */
        NOT_FOUND
    }

    static final OperationResult TOPIC_DONE = new OperationResult(Outcome.DONE, 0);
    static final OperationResult RECORDED = new OperationResult(Outcome.RECORDED, 0);
    static final OperationResult IN_FLIGHT = new OperationResult(Outcome.IN_FLIGHT, 0);
    static final OperationResult NOT_FOUND = new OperationResult(Outcome.NOT_FOUND, 0);

    static OperationResult of(long count) {
        return count == 0 ? NOT_FOUND : new OperationResult(Outcome.DONE, count);
    }
}
