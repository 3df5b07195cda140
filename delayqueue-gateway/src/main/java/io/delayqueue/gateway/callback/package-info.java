/**
 * Callbacks: due messages that are sent to a URL instead of to a listener. Decides where a request may go, signs it, and judges the
 * response. May not depend on the HTTP API or on the SQS endpoint.
 */
@NullMarked
package io.delayqueue.gateway.callback;

import org.jspecify.annotations.NullMarked;
