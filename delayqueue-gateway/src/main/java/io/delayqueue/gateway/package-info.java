/**
 * The gateway: the delay queue for programs of any language that speak HTTP. Uses the core's API and the starter, never the
 * core's internals.
 */
@NullMarked
package io.delayqueue.gateway;

import org.jspecify.annotations.NullMarked;
