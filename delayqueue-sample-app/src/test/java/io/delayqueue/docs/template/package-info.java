/** Calls of the template that the documents show. */
@NullMarked
package io.delayqueue.docs.template;

import org.jspecify.annotations.NullMarked;
