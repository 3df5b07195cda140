/** Work of an operator on whole topics that the documents show. */
@NullMarked
package io.delayqueue.docs.operator;

import org.jspecify.annotations.NullMarked;
