/** The annotations that users write on their methods. Depends on nothing else of this library. */
@NullMarked
package io.delayqueue.spring.annotation;

import org.jspecify.annotations.NullMarked;
