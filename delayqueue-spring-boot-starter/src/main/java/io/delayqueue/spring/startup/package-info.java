/** What is asked of the Redis server when the application starts. Knows nothing of listeners. */
@NullMarked
package io.delayqueue.spring.startup;

import org.jspecify.annotations.NullMarked;
