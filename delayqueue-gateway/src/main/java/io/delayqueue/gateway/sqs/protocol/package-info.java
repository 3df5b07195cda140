/** The JSON 1.0 and query protocols of SQS: a request becomes a tree of parameters, a result or an error becomes bytes. */
@NullMarked
package io.delayqueue.gateway.sqs.protocol;

import org.jspecify.annotations.NullMarked;
