package io.delayqueue.jdbc.actuate;

/**
 * Answer to a request to unblock an id.
 *
 * @param unblocked whether the id was blocked, and is sent again now
 */
public record UnblockDescriptor(boolean unblocked) implements JournalDescriptor {}
