/**
 * From a claimed message to its handler, or to a call that waits for it. The message waits until it is due and a handler slot is free,
 * then the handler is called. Depends on {@code settle} and {@code shared}, not on how messages are claimed.
 */
@NullMarked
package io.delayqueue.internal.engine.dispatch;

import org.jspecify.annotations.NullMarked;
