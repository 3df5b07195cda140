/** Helpers that the gateway's tests share. */
@NullMarked
package io.delayqueue.gateway.testsupport;

import org.jspecify.annotations.NullMarked;
