/**
 * Used by all parts of the engine: batches of concurrent calls, the number of partitions, contexts, throttled logs. Depends on the
 * store port, the API and {@code io.delayqueue.internal} only.
 */
@NullMarked
package io.delayqueue.internal.engine.shared;

import org.jspecify.annotations.NullMarked;
