/** Meters of messages and topics. The only package that depends on Micrometer's meter registry. */
@NullMarked
package io.delayqueue.spring.metrics;

import org.jspecify.annotations.NullMarked;
