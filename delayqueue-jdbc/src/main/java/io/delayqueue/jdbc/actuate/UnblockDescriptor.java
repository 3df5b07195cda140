package io.delayqueue.jdbc.actuate;

/**
 * Answer to a request to unblock ids.
 *
 * @param unblocked number of ids that were blocked, and are sent again now
 */
public record UnblockDescriptor(int unblocked) implements JournalDescriptor {}
