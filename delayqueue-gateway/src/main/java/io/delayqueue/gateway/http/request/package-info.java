/** Requests before a controller gets them: their callers, their bodies' size and type, and the names in their paths. */
@NullMarked
package io.delayqueue.gateway.http.request;

import org.jspecify.annotations.NullMarked;
