/** Receipts by e-mail for paid orders, over a mail server that often fails: retries and a dead letter to look at. */
@NullMarked
package io.delayqueue.sample.receipt;

import org.jspecify.annotations.NullMarked;
