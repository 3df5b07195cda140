/** Claims for remote clients: pull consumers by topic, and the confirmation that a client got its messages. */
@NullMarked
package io.delayqueue.gateway.claim;

import org.jspecify.annotations.NullMarked;
