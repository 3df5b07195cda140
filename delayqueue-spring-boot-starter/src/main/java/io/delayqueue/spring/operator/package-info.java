/**
 * What operators see and do: reads, single and bulk operations on topics, with the caller's rights checked, logged and audited.
 * Knows nothing of endpoints and pages, which call it.
 */
@NullMarked
package io.delayqueue.spring.operator;

import org.jspecify.annotations.NullMarked;
