/** The actions of SQS, one class each, over the client of core. They know nothing of protocols and servlets. */
@NullMarked
package io.delayqueue.gateway.sqs.action;

import org.jspecify.annotations.NullMarked;
