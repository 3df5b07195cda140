/** A proxy between a client and Redis that delays, drops, cuts or replaces what passes. */
@NullMarked
package io.delayqueue.testsupport.proxy;

import org.jspecify.annotations.NullMarked;
