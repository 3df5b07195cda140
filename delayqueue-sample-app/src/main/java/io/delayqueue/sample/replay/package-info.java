/** Replays a day of orders faster than real time and counts how each of them ended. */
@NullMarked
package io.delayqueue.sample.replay;

import org.jspecify.annotations.NullMarked;
