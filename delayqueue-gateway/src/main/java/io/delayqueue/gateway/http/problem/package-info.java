/** Errors of the HTTP API as problem details (RFC 9457). */
@NullMarked
package io.delayqueue.gateway.http.problem;

import org.jspecify.annotations.NullMarked;
