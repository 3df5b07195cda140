/** Callers of the dashboard and their rights. */
@NullMarked
package io.delayqueue.dashboard.access;

import org.jspecify.annotations.NullMarked;
