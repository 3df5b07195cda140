/** Payloads as text: pretty, masked and bounded. */
@NullMarked
package io.delayqueue.dashboard.payload;

import org.jspecify.annotations.NullMarked;
