/** The test with Testcontainers of the guide. */
@NullMarked
package io.delayqueue.docs.containers;

import org.jspecify.annotations.NullMarked;
