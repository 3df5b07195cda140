/** The endpoint for SQS clients: ids, attributes and checksums of messages as SQS has them. */
@NullMarked
package io.delayqueue.gateway.sqs;

import org.jspecify.annotations.NullMarked;
