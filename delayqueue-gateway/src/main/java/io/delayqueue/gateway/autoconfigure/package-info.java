/** Auto-configuration: the beans of the gateway, each of which backs off for the application's own. */
@NullMarked
package io.delayqueue.gateway.autoconfigure;

import org.jspecify.annotations.NullMarked;
