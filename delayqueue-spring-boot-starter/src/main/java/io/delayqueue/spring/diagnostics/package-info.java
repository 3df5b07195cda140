/** Turns start-up failures into a description and an action. */
@NullMarked
package io.delayqueue.spring.diagnostics;

import org.jspecify.annotations.NullMarked;
