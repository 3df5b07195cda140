/** Real databases for tests. */
@NullMarked
package io.delayqueue.jdbc.testsupport.database;

import org.jspecify.annotations.NullMarked;
