package io.delayqueue.jdbc.actuate;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Progress of a restore.
 *
 * @param topic the topic that is being compared
 * @param scanned messages compared so far
 * @param restored messages scheduled again so far
 * @param perSecond messages compared in a second
 * @param remaining messages still to compare, counted to 100,000
 * @param running time since it began
 */
public record RestoreProgressDescriptor(
        @Nullable String topic, long scanned, long restored, long perSecond, long remaining, Duration running) {}
