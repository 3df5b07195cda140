/** Bodies of the HTTP API: requests read field by field, and views of answers. Knows nothing of servlets but their input stream. */
@NullMarked
package io.delayqueue.gateway.http.body;

import org.jspecify.annotations.NullMarked;
