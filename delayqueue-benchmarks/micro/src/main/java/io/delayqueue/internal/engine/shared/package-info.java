/** Benchmarks of classes that are private to this package. */
@NullMarked
package io.delayqueue.internal.engine.shared;

import org.jspecify.annotations.NullMarked;
