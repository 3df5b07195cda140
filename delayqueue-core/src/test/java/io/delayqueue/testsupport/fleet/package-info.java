/** Worker processes behind proxies, the log of their events, and the oracle that judges it. */
@NullMarked
package io.delayqueue.testsupport.fleet;

import org.jspecify.annotations.NullMarked;
