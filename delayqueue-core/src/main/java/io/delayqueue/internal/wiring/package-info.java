/** Puts the engine on top of Redis. The API calls it to create a client; nothing else depends on it. */
@NullMarked
package io.delayqueue.internal.wiring;

import org.jspecify.annotations.NullMarked;
