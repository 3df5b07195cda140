/** What the starter's tests share. */
@NullMarked
package io.delayqueue.spring.testing;

import org.jspecify.annotations.NullMarked;
