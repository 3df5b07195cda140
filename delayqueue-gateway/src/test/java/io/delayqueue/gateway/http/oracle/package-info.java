/** A load with faults, and what must be true of it. */
@NullMarked
package io.delayqueue.gateway.http.oracle;

import org.jspecify.annotations.NullMarked;
