/** Measures how late messages are, on demand; no test decides by it. */
@NullMarked
package io.delayqueue.lateness;

import org.jspecify.annotations.NullMarked;
