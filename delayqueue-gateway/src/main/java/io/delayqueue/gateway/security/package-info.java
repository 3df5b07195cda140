/** Callers of the gateway and their rights. */
@NullMarked
package io.delayqueue.gateway.security;

import org.jspecify.annotations.NullMarked;
