package io.delayqueue.jdbc.actuate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Losses of Redis, and restores of this instance.
 *
 * @param mode reaction to a loss: {@code AUTOMATIC}, {@code REPORT} or {@code OFF}
 * @param losses losses that this instance knows of and that were not repaired yet, up to 100
 * @param restored messages that this instance scheduled again since it started
 * @param progress of the restore that this instance runs; null if there is none
 * @param requested the restore that was asked for last; null if none was
 */
public record RestoreDescriptor(
        String mode,
        List<LossDescriptor> losses,
        long restored,
        @Nullable RestoreProgressDescriptor progress,
        @Nullable RestoreRunDescriptor requested) {}
