/**
 * Runs annotated methods as consumers, one role a class: bean post-processor, endpoint, registry, container factory,
 * container. Depends on the annotations, and on the template's package for message types and conversion; not on Boot.
 */
@NullMarked
package io.delayqueue.spring.listener;

import org.jspecify.annotations.NullMarked;
