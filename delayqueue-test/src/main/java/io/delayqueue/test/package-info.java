/**
 * A real Redis server for tests and demonstrations. Depends on nothing else of this library, so that its modules can
 * use it in their own tests.
 */
@NullMarked
package io.delayqueue.test;

import org.jspecify.annotations.NullMarked;
