/** Benchmarks of classes that are private to this package. */
@NullMarked
package io.delayqueue.internal.redis;

import org.jspecify.annotations.NullMarked;
