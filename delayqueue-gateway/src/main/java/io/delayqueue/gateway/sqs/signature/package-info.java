/** Checks requests signed by AWS' Signature Version 4. Knows nothing of servlets. */
@NullMarked
package io.delayqueue.gateway.sqs.signature;

import org.jspecify.annotations.NullMarked;
