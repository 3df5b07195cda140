/** Failure analyzers: describe a start-up failure of the gateway and its remedy. */
@NullMarked
package io.delayqueue.gateway.diagnostics;

import org.jspecify.annotations.NullMarked;
