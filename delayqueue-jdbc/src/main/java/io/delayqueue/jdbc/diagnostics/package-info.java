/** Failure analyzers: describe a start-up failure of the journal and its remedy. */
@NullMarked
package io.delayqueue.jdbc.diagnostics;

import org.jspecify.annotations.NullMarked;
