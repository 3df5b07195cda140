/** The header Idempotency-Key: a repeated request gets the answer of the first one. */
@NullMarked
package io.delayqueue.gateway.http.idempotency;

import org.jspecify.annotations.NullMarked;
