/** Meters. The only package that sees Micrometer's registry. */
@NullMarked
package io.delayqueue.spring.metrics;

import org.jspecify.annotations.NullMarked;
