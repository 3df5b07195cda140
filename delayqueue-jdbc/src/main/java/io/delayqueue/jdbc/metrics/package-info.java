/** Meters of the journal. */
@NullMarked
package io.delayqueue.jdbc.metrics;

import org.jspecify.annotations.NullMarked;
