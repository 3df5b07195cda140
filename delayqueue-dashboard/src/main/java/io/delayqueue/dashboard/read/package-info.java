/** Reads that all viewers share, histories, and the rules for attention. Knows nothing of HTTP. */
@NullMarked
package io.delayqueue.dashboard.read;

import org.jspecify.annotations.NullMarked;
