/** Records the life of messages in batches a moment later, and reads it: stories and searches. */
@NullMarked
package io.delayqueue.jdbc.audit;

import org.jspecify.annotations.NullMarked;
