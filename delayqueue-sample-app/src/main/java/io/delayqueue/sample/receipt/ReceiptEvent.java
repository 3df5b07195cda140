package io.delayqueue.sample.receipt;

/** An attempt to send a receipt, published as a Spring event. */
public sealed interface ReceiptEvent {

    /** Id of the order. */
    String orderId();

    record Sent(String orderId, String to, int attempt) implements ReceiptEvent {}

    record Failed(String orderId, String reason, int attempt, int maxAttempts) implements ReceiptEvent {}
}
