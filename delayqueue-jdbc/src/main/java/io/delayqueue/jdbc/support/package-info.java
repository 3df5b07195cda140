/** Helpers of several parts of the journal, which know neither its tables nor the core. Internal: they may change with each version. */
@NullMarked
package io.delayqueue.jdbc.support;

import org.jspecify.annotations.NullMarked;
