/** Failure analyzers: describe a start-up failure and its remedy. */
@NullMarked
package io.delayqueue.spring.diagnostics;

import org.jspecify.annotations.NullMarked;
