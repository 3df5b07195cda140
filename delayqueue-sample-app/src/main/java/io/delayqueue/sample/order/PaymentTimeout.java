package io.delayqueue.sample.order;

/** The message: the time to pay this order is over. */
record PaymentTimeout(String orderId) {}
