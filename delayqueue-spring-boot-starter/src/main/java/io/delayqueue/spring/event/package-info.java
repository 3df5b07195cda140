/** Application events about messages. Depends on the core's observer only. */
@NullMarked
package io.delayqueue.spring.event;

import org.jspecify.annotations.NullMarked;
