/** Keeps messages in Redis: keys, scripts, envelope, connections. The only package that sees Lettuce. */
@NullMarked
package io.delayqueue.internal.redis;

import org.jspecify.annotations.NullMarked;
