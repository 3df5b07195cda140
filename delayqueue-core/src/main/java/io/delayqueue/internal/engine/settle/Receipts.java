package io.delayqueue.internal.engine.settle;

import io.delayqueue.Receipt;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.internal.ReceiptData;
import io.delayqueue.internal.store.Claimed;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** The receipts of messages that leave the process, and the messages that come back as their receipts. */
public final class Receipts {

    private Receipts() {}

    /** The receipt of a message in flight. */
    public static Receipt of(InFlightMessage inFlight) {
        ReceivedMessage message = inFlight.message();
        ReceiptData data = new ReceiptData(
                message.topic(),
                inFlight.partition(),
                message.id(),
                message.generation(),
                inFlight.lease().receipt(),
                inFlight.dueMicros(),
                message.attempt(),
                message.maxAttempts(),
                message.priority(),
                inFlight.isSuspect());
        return Receipt.parse(data.encode());
    }

    /** The message of a receipt, without payload and headers. It is decided: the caller settles it. */
    public static InFlightMessage message(ReceiptData receipt) {
        ReceivedMessage message = ReceivedMessage.of(receipt.topic(), receipt.id())
                .attempt(receipt.attempt())
                .maxAttempts(receipt.maxAttempts())
                .due(Instant.EPOCH.plus(receipt.dueMicros(), ChronoUnit.MICROS))
                .priority(receipt.priority())
                .generation(receipt.generation())
                .build();
        Claimed claimed = new Claimed(message, receipt.dueMicros(), receipt.lease(), receipt.suspect());
        return InFlightMessage.byReceipt(claimed, receipt.partition());
    }
}
