package io.delayqueue.spring.actuate;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/** An answer of the endpoint: all topics, one topic or message, a page of messages, or the outcome of an operation. */
public sealed interface DelayQueueDescriptor extends OperationResponseBody
        permits TopicsDescriptor,
                TopicDescriptor,
                MessageDescriptor,
                StoryDescriptor,
                PendingPageDescriptor,
                InFlightDescriptor,
                DeadLetterPageDescriptor,
                LoadDescriptor,
                OperationDescriptor,
                PlanDescriptor,
                JobDescriptor,
                JobsDescriptor,
                ErrorsDescriptor {}
