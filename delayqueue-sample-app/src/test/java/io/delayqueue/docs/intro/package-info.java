/** The first lines of the README. */
@NullMarked
package io.delayqueue.docs.intro;

import org.jspecify.annotations.NullMarked;
