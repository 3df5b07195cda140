/** What a newcomer sees on screen: one line per event, a few orders to begin with, and what to try next. */
@NullMarked
package io.delayqueue.sample.console;

import org.jspecify.annotations.NullMarked;
