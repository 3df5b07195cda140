/** The sample: a small shop whose unpaid orders are closed on time. Starts everything and says where Redis is. */
@NullMarked
package io.delayqueue.sample;

import org.jspecify.annotations.NullMarked;
