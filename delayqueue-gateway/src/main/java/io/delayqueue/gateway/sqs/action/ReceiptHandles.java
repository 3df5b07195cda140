package io.delayqueue.gateway.sqs.action;

import io.delayqueue.Receipt;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;

/** Receipt handles of SQS are receipts. */
final class ReceiptHandles {

    private ReceiptHandles() {}

    /**
     * The receipt of a call, perhaps no longer good.
     *
     * @throws SqsException if it is missing, no receipt, or that of another topic
     */
    static Receipt of(SqsCall call) {
        String handle = call.parameters().required("ReceiptHandle");
        Receipt receipt;
        try {
            receipt = Receipt.parse(handle);
        } catch (IllegalArgumentException e) {
            throw invalid();
        }
        if (!receipt.topic().equals(call.topic())) {
            throw invalid();
        }
        return receipt;
    }

    private static SqsException invalid() {
        return new SqsException(SqsError.RECEIPT_HANDLE_IS_INVALID, "The input receipt handle is invalid.");
    }
}
