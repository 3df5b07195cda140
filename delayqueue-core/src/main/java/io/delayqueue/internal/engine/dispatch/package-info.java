/**
 * From a claimed message to its handler, or to a call that waits for it: until it is due, until a handler slot is free, and the call
 * of the handler. Depends on {@code settle} and {@code shared}, not on how messages are claimed.
 */
@NullMarked
package io.delayqueue.internal.engine.dispatch;

import org.jspecify.annotations.NullMarked;
