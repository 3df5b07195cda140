package io.delayqueue.sample.receipt;

import java.math.BigDecimal;

/** A message: send this receipt. */
record Receipt(String orderId, String to, BigDecimal amount) {}
