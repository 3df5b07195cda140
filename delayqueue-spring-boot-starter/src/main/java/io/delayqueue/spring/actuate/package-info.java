/** The actuator endpoint, read side. */
@NullMarked
package io.delayqueue.spring.actuate;

import org.jspecify.annotations.NullMarked;
