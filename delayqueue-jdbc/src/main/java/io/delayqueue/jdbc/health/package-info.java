/** Health of the journal. */
@NullMarked
package io.delayqueue.jdbc.health;

import org.jspecify.annotations.NullMarked;
