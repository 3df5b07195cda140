/** A run of any length under random faults, on demand; it ends with a report. */
@NullMarked
package io.delayqueue.soak;

import org.jspecify.annotations.NullMarked;
