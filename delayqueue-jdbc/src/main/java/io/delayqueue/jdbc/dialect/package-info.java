/** What differs between databases. Everything else is SQL that all of them understand. */
@NullMarked
package io.delayqueue.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
