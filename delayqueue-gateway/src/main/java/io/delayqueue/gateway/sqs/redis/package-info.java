/** Commands on the endpoint's own keys in Redis, bounded in time and number. */
@NullMarked
package io.delayqueue.gateway.sqs.redis;

import org.jspecify.annotations.NullMarked;
