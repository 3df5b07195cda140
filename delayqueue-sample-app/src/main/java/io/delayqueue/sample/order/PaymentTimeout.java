package io.delayqueue.sample.order;

/** A message: the time to pay this order is over. */
record PaymentTimeout(String orderId) {}
