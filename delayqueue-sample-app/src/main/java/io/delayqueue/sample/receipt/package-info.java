/** Receipts for paid orders, by a mail server that often fails: an example of retries and dead letters. */
@NullMarked
package io.delayqueue.sample.receipt;

import org.jspecify.annotations.NullMarked;
