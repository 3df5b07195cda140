/** Code of the journal's page. */
@NullMarked
package io.delayqueue.docs.journal;

import org.jspecify.annotations.NullMarked;
