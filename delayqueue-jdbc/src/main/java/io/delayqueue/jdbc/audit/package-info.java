/** Records the life of messages in batches behind their way, and reads it: stories and searches. */
@NullMarked
package io.delayqueue.jdbc.audit;

import org.jspecify.annotations.NullMarked;
