package io.delayqueue.spring;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleResult;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sends the template's messages: at once, or after commit. */
interface MessageSender {

    ScheduleResult send(OutgoingMessage message);

    CompletableFuture<ScheduleResult> sendAsync(OutgoingMessage message);

    List<ScheduleResult> sendAll(List<OutgoingMessage> messages);

    CompletableFuture<List<ScheduleResult>> sendAllAsync(List<OutgoingMessage> messages);
}
