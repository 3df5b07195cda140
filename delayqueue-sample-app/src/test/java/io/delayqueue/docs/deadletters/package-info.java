/** Work of an operator that the documents show. */
@NullMarked
package io.delayqueue.docs.deadletters;

import org.jspecify.annotations.NullMarked;
