/** Lines of the log that a user must see, but not a thousand times. Knows no other package of the gateway. */
@NullMarked
package io.delayqueue.gateway.log;

import org.jspecify.annotations.NullMarked;
