/** Properties, and one small auto-configuration per concern. No other package depends on it. */
@NullMarked
package io.delayqueue.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
