/** The dashboard's properties, and request matchers for Spring Security. */
@NullMarked
package io.delayqueue.dashboard;

import org.jspecify.annotations.NullMarked;
