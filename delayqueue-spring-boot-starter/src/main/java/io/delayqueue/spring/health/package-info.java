/** The health indicator. */
@NullMarked
package io.delayqueue.spring.health;

import org.jspecify.annotations.NullMarked;
