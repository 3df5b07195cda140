/** Orders: placing, paying, and closing those that are not paid in time. Publishes events and doesn't depend on their listeners. */
@NullMarked
package io.delayqueue.sample.order;

import org.jspecify.annotations.NullMarked;
