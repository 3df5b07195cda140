package io.delayqueue.spring.operator;

/** As many bulk operations are running in this process as may. Nothing was started; the plan stays. */
@SuppressWarnings("serial")
public final class TooManyJobsException extends RuntimeException {

    TooManyJobsException(int running) {
        super(running
                + " bulk operations are running in this process, as many as may: wait until one ends, or stop one");
    }
}
