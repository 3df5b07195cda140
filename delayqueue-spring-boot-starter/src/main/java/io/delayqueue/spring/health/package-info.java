/** The health indicator: claim loops, overdue messages, and whether Redis answers. */
@NullMarked
package io.delayqueue.spring.health;

import org.jspecify.annotations.NullMarked;
