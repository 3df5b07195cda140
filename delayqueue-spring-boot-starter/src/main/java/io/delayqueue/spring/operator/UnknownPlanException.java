package io.delayqueue.spring.operator;

/** A token names no plan or job of this process. */
@SuppressWarnings("serial")
public final class UnknownPlanException extends RuntimeException {

    UnknownPlanException(String token) {
        super("no plan or job '" + LogText.of(token)
                + "' in this process: it expired, made way for newer ones, or belongs to"
                + " another instance; plan again");
    }
}
