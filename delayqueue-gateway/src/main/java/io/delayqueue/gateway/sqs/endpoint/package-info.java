/** The requests of SQS clients over HTTP: who made them, what they ask for, and the answers. */
@NullMarked
package io.delayqueue.gateway.sqs.endpoint;

import org.jspecify.annotations.NullMarked;
