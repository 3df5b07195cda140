package io.delayqueue.sample.receipt;

import java.math.BigDecimal;

/** The message: send this receipt. */
record Receipt(String orderId, String to, BigDecimal amount) {}
