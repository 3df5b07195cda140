package io.delayqueue.sample.receipt;

/** Something happened to a receipt. Published as a Spring event. */
public sealed interface ReceiptEvent {

    /** Order that the receipt is for. */
    String orderId();

    record Sent(String orderId, String to, int attempt) implements ReceiptEvent {}

    record Failed(String orderId, String reason, int attempt, int maxAttempts) implements ReceiptEvent {}
}
