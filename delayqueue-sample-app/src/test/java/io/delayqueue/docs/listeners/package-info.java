/** Listeners that the documents show. */
@NullMarked
package io.delayqueue.docs.listeners;

import org.jspecify.annotations.NullMarked;
