/** Beans of an application's own, beside or instead of the starter's, that the documents show. */
@NullMarked
package io.delayqueue.docs.beans;

import org.jspecify.annotations.NullMarked;
