/** SQL that differs between databases. All other SQL is understood by all of them. */
@NullMarked
package io.delayqueue.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
