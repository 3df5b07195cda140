/**
 * Observation of listener calls, and trace context in message headers. Depends on Micrometer's observation and tracing APIs.
 */
@NullMarked
package io.delayqueue.spring.observation;

import org.jspecify.annotations.NullMarked;
