package io.delayqueue.spring;

import io.delayqueue.CancelOutcome;
import io.delayqueue.Delay;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RescheduleOutcome;
import io.delayqueue.ScheduleResult;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Makes the template's calls: at once, or after commit. */
interface MessageSender {

    ScheduleResult send(OutgoingMessage message);

    CompletableFuture<ScheduleResult> sendAsync(OutgoingMessage message);

    List<ScheduleResult> sendAll(List<OutgoingMessage> messages);

    CompletableFuture<List<ScheduleResult>> sendAllAsync(List<OutgoingMessage> messages);

    CancelOutcome cancel(String topic, String id);

    CompletableFuture<CancelOutcome> cancelAsync(String topic, String id);

    Map<String, CancelOutcome> cancelAll(String topic, Collection<String> ids);

    CompletableFuture<Map<String, CancelOutcome>> cancelAllAsync(String topic, Collection<String> ids);

    RescheduleOutcome reschedule(String topic, String id, Delay delay);

    CompletableFuture<RescheduleOutcome> rescheduleAsync(String topic, String id, Delay delay);
}
