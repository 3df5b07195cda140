/**
 * The journal: calls are part of the application's database transactions, and a Redis that lost data is refilled. The life of each message
 * can be read afterwards. Depends on the core's API and the starter, never on the core's internals.
 */
@NullMarked
package io.delayqueue.jdbc;

import org.jspecify.annotations.NullMarked;
