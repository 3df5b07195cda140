/** The part of the shop that needs the journal. */
@NullMarked
package io.delayqueue.sample.journal;

import org.jspecify.annotations.NullMarked;
