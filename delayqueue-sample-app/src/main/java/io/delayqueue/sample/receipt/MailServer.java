package io.delayqueue.sample.receipt;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/**
 * Stands in for a mail server. Addresses at {@code flaky.example} get their mail at the third attempt, those at
 * {@code gone.example} never, all others at the first. Nothing is sent.
 */
@Component
class MailServer {

    private final Map<String, Integer> attemptsByOrder = new ConcurrentHashMap<>();

    void send(Receipt receipt) {
        if (receipt.to().endsWith("@gone.example")) {
            throw new MailRefusedException("no such mailbox: " + receipt.to());
        }
        int attempts = attemptsByOrder.merge(receipt.orderId(), 1, Integer::sum);
        if (receipt.to().endsWith("@flaky.example") && attempts < 3) {
            throw new MailRefusedException("mailbox busy: " + receipt.to());
        }
        attemptsByOrder.remove(receipt.orderId());
    }

    static class MailRefusedException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        MailRefusedException(String message) {
            super(message, null, false, false); // no stack trace: the message is enough
        }
    }
}
