/** The test that the guide shows. */
@NullMarked
package io.delayqueue.docs.testing;

import org.jspecify.annotations.NullMarked;
