/**
 * Reads, single and bulk operations on topics for operators, with the caller's rights checked, logged and audited.
 * Knows nothing of endpoints and pages, which call it.
 */
@NullMarked
package io.delayqueue.spring.operator;

import org.jspecify.annotations.NullMarked;
