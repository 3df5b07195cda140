/** Health of callbacks. May not depend on the HTTP API or on the SQS endpoint. */
@NullMarked
package io.delayqueue.gateway.health;

import org.jspecify.annotations.NullMarked;
