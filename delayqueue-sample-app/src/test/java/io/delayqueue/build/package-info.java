/** Tests of the build itself: the scripts of CI, and what is published. */
@NullMarked
package io.delayqueue.build;

import org.jspecify.annotations.NullMarked;
