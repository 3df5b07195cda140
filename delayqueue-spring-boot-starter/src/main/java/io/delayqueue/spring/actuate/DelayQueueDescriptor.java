package io.delayqueue.spring.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** An answer of the endpoint: all topics, one topic or one message. */
public sealed interface DelayQueueDescriptor extends OperationResponseBody
        permits TopicsDescriptor, TopicDescriptor, MessageDescriptor {}
