/** Replays a file of orders faster than real time and counts what became of them. */
@NullMarked
package io.delayqueue.sample.replay;

import org.jspecify.annotations.NullMarked;
