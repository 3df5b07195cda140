/** Annotations for listener methods. Depends on no other package of this library; only Javadoc links to them. */
@NullMarked
package io.delayqueue.spring.annotation;

import org.jspecify.annotations.NullMarked;
