/** The sample: a small shop whose unpaid orders are closed on time. */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
