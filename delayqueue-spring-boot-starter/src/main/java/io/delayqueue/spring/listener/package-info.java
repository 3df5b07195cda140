/**
 * From an annotated method to a running consumer, one role each: annotation, bean post-processor, endpoint, registry,
 * container factory, container. Depends on the template's package for message types and conversion; knows nothing of Boot.
 */
@NullMarked
package io.delayqueue.spring.listener;

import org.jspecify.annotations.NullMarked;
