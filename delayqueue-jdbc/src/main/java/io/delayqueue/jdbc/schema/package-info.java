/** Sets the journal's tables up, and checks their version. */
@NullMarked
package io.delayqueue.jdbc.schema;

import org.jspecify.annotations.NullMarked;
