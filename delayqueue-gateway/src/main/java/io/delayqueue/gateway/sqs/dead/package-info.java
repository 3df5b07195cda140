/** Dead-letter queues of SQS: the dead letters of topics are received, deleted and moved back. */
@NullMarked
package io.delayqueue.gateway.sqs.dead;

import org.jspecify.annotations.NullMarked;
