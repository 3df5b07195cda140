/** A long run under random faults, on demand, and a short one with each build; both end with a report. */
@NullMarked
package io.delayqueue.soak;

import org.jspecify.annotations.NullMarked;
