package io.delayqueue.spring.operator;

/** A caller lacks the right to what it asked for. Nothing was done. */
@SuppressWarnings("serial")
public final class MissingRightException extends RuntimeException {

    private final Right right;

    MissingRightException(Caller caller, Right right, String what) {
        super("caller '" + LogText.of(caller.name()) + "' lacks the right " + right + " to " + what);
        this.right = right;
    }

    /** The right that is missing. */
    public Right right() {
        return right;
    }
}
