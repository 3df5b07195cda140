/** Failure analyzers: describe a start-up failure of the dashboard and its remedy. */
@NullMarked
package io.delayqueue.dashboard.diagnostics;

import org.jspecify.annotations.NullMarked;
