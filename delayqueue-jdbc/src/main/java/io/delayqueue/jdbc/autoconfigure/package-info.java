/** Auto-configuration of the journal. No other package depends on it. */
@NullMarked
package io.delayqueue.jdbc.autoconfigure;

import org.jspecify.annotations.NullMarked;
