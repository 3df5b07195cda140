/** Tests of the journal's SQL: the plans that databases make of it, and its text for the database without a server. */
@NullMarked
package io.delayqueue.jdbc.plan;

import org.jspecify.annotations.NullMarked;
