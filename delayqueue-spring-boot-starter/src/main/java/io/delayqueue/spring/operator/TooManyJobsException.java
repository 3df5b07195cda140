package io.delayqueue.spring.operator;

/** {@link BulkOperations#MAX_RUNNING} bulk operations are running in this process already. Nothing was started; the plan stays. */
@SuppressWarnings("serial")
public final class TooManyJobsException extends RuntimeException {

    TooManyJobsException(int running) {
        super(running + " bulk operations are running in this process, the maximum: wait until one ends, or stop one");
    }
}
