package io.delayqueue.docs.tour;

// tag::payload[]
record OrderPlaced(String orderId) {}
// end::payload[]
