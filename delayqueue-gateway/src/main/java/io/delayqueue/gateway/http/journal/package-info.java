/** Stories and restores of messages over HTTP, where the application keeps a journal. */
@NullMarked
package io.delayqueue.gateway.http.journal;

import org.jspecify.annotations.NullMarked;
