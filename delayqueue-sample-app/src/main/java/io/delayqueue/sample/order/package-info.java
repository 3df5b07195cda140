/** Orders: placing, paying, and closing those that are not paid in time. Knows nothing of who watches. */
@NullMarked
package io.delayqueue.sample.order;

import org.jspecify.annotations.NullMarked;
