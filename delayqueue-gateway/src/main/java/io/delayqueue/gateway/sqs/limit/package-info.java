/** Limits that keep one client, or many slow ones, from using up what all share: bytes, threads, topics. */
@NullMarked
package io.delayqueue.gateway.sqs.limit;

import org.jspecify.annotations.NullMarked;
