/** What the journal adds to the shop. */
@NullMarked
package io.delayqueue.sample.journal;

import org.jspecify.annotations.NullMarked;
