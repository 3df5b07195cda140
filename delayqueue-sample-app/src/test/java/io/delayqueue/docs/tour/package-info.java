/** The application of the README's tour. */
@NullMarked
package io.delayqueue.docs.tour;

import org.jspecify.annotations.NullMarked;
