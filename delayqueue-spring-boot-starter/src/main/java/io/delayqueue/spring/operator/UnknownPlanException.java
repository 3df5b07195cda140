package io.delayqueue.spring.operator;

/** This process has no plan or job with the token. */
@SuppressWarnings("serial")
public final class UnknownPlanException extends RuntimeException {

    UnknownPlanException(String token) {
        super("no plan or job '" + LogText.of(token)
                + "' in this process: it expired, was displaced by newer ones, or belongs to"
                + " another instance; plan again");
    }
}
