/** Queues of SQS: their names, attributes and tags, and the actions on them. */
@NullMarked
package io.delayqueue.gateway.sqs.queue;

import org.jspecify.annotations.NullMarked;
