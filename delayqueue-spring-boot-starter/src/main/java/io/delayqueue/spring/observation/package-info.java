/** Observation of listeners, and trace context in messages' headers. Depends on Micrometer's observation and tracing APIs. */
@NullMarked
package io.delayqueue.spring.observation;

import org.jspecify.annotations.NullMarked;
