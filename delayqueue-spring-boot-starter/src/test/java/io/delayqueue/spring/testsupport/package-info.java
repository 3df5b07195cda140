/** Helpers that the starter's tests share. */
@NullMarked
package io.delayqueue.spring.testsupport;

import org.jspecify.annotations.NullMarked;
