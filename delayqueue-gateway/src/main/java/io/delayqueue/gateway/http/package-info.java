/** The HTTP API: one controller for messages, claims and topics each. */
@NullMarked
package io.delayqueue.gateway.http;

import org.jspecify.annotations.NullMarked;
