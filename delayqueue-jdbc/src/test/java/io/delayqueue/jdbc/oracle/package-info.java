/** Instances that work at random while faults strike, and an oracle that judges what became of their committed work. */
@NullMarked
package io.delayqueue.jdbc.oracle;

import org.jspecify.annotations.NullMarked;
