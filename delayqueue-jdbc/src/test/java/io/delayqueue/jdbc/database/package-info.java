/** Real databases for tests. */
@NullMarked
package io.delayqueue.jdbc.database;

import org.jspecify.annotations.NullMarked;
