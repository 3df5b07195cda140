/** The application's connections to Redis, which the gateway uses for keys of its own. */
@NullMarked
package io.delayqueue.gateway.redis;

import org.jspecify.annotations.NullMarked;
