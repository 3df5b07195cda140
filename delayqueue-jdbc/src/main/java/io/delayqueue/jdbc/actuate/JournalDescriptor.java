package io.delayqueue.jdbc.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** An answer of the endpoint. */
public sealed interface JournalDescriptor extends OperationResponseBody
        permits JournalStatusDescriptor, StoryDescriptor, SearchDescriptor, UnblockDescriptor, RestoreRunDescriptor {}
