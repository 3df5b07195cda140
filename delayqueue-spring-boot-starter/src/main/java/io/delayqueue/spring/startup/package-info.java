/** Checks of the Redis server when the application starts. Does not depend on listeners. */
@NullMarked
package io.delayqueue.spring.startup;

import org.jspecify.annotations.NullMarked;
