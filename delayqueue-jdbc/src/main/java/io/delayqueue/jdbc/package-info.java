/**
 * The journal: what the application schedules, cancels and reschedules is part of its database transactions, the life of each
 * message can be read afterwards, and a Redis that lost data is refilled. Depends on the core's API and the starter, never on
 * the core's internals.
 */
@NullMarked
package io.delayqueue.jdbc;

import org.jspecify.annotations.NullMarked;
