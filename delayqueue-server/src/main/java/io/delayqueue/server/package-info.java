/** The gateway as a program of its own. */
@NullMarked
package io.delayqueue.server;

import org.jspecify.annotations.NullMarked;
