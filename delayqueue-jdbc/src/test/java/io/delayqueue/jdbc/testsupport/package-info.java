/** Helpers of tests in several packages. */
@NullMarked
package io.delayqueue.jdbc.testsupport;

import org.jspecify.annotations.NullMarked;
