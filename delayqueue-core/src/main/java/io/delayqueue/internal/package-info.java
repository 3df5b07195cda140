/** Off limits to users: may change with any release. Wires the engine to its store. */
@NullMarked
package io.delayqueue.internal;

import org.jspecify.annotations.NullMarked;
