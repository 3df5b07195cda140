@NullMarked
package io.delayqueue.gateway.callback;

import org.jspecify.annotations.NullMarked;
