/** Deletes old rows in bounded batches. */
@NullMarked
package io.delayqueue.jdbc.retention;

import org.jspecify.annotations.NullMarked;
