/** The example without Spring. */
@NullMarked
package io.delayqueue.docs.core;

import org.jspecify.annotations.NullMarked;
