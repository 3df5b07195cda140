package io.delayqueue.spring.operator;

/**
 * Receives each operation of operators, done, denied or failed. Beans of this type are called in their order, on the thread of the
 * operation. The failure of one is logged, and the others are still called.
 */
@FunctionalInterface
public interface OperatorListener {

    /** An operation was asked for. */
    void onOperation(OperatorEvent event);
}
