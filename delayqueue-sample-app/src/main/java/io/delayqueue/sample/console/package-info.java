/** The console: four orders at start, requests to try, and a log line for each event. */
@NullMarked
package io.delayqueue.sample.console;

import org.jspecify.annotations.NullMarked;
