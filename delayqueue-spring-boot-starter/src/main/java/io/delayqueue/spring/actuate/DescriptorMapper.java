package io.delayqueue.spring.actuate;

import io.delayqueue.DeadLetter;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.PendingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.listener.DelayQueueListenerContainer;
import io.delayqueue.spring.operator.ErrorGroup;
import io.delayqueue.spring.operator.Story;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;

/**
 * Maps the library's types to the endpoint's descriptors: the only place that knows both.
 *
 * @param sanitizer hides values, or has the application's functions replace some of those that are shown
 * @param showValues whether to show payloads, header values and error texts, which may quote a payload
 */
record DescriptorMapper(Sanitizer sanitizer, boolean showValues) {

    /** Maximum number of characters shown of a payload: enough to recognise a message, and a bounded answer. */
    private static final int MAX_PAYLOAD_CHARS = 10_000;

    TopicStatsDescriptor stats(TopicStats stats) {
        TopicStats.Pending pending = stats.pending();
        TopicStats.Totals totals = stats.totals();
        return new TopicStatsDescriptor(
                stats.paused(),
                new TopicStatsDescriptor.Pending(
                        pending.scheduled(), pending.ready(), pending.oldestReady(), pending.nextDue()),
                stats.inFlight(),
                stats.dead(),
                new TopicStatsDescriptor.Totals(
                        totals.accepted(),
                        totals.acked(),
                        totals.cancelled(),
                        totals.expired(),
                        totals.purged(),
                        totals.retried(),
                        totals.deadLettered(),
                        totals.redriven(),
                        totals.orphaned(),
                        totals.deferred(),
                        totals.postponed()),
                stats.unaccounted(),
                stats.time());
    }

    MessageDescriptor message(MessageInfo message) {
        return new MessageDescriptor(
                message.topic(),
                message.id(),
                state(message.state()),
                message.time(),
                message.due(),
                message.attempt(),
                message.maxAttempts(),
                message.timeToLive(),
                message.scheduledAt(),
                message.leaseDeadline(),
                message.deadLetteredAt(),
                message.error() == null ? null : value("error", message.error()),
                message.priority(),
                message.payload().length,
                headers(message.headers()),
                value("payload", text(message.payload())));
    }

    DeadLetterDescriptor deadLetter(DeadLetter letter) {
        return new DeadLetterDescriptor(
                letter.id(),
                letter.attempts(),
                value("error", letter.error()),
                letter.scheduledAt(),
                letter.deadLetteredAt(),
                letter.payload().length,
                headers(letter.headers()));
    }

    PendingPageDescriptor.Message pending(PendingMessage message) {
        return new PendingPageDescriptor.Message(
                message.id(),
                state(message.state()),
                message.due(),
                message.priority(),
                message.attempts(),
                message.bytes());
    }

    InFlightDescriptor.Holder holder(InFlightMessages.Holder holder) {
        return new InFlightDescriptor.Holder(holder.instance(), holder.messages(), holder.since());
    }

    InFlightDescriptor.Message inFlight(InFlightMessages.Message message) {
        return new InFlightDescriptor.Message(
                message.id(),
                message.attempt(),
                message.holder(),
                message.since(),
                message.leaseUntil(),
                message.bytes());
    }

    StoryDescriptor story(Story story) {
        return new StoryDescriptor(
                story.topic(),
                story.id(),
                story.messages().stream()
                        .map(message -> new StoryDescriptor.Message(
                                message.generation(),
                                message.events().stream().map(this::event).toList()))
                        .toList(),
                story.complete());
    }

    private StoryDescriptor.Event event(Story.Event event) {
        return new StoryDescriptor.Event(
                event.time(),
                event.from(),
                event.to(),
                event.began(),
                event.attempt(),
                event.instance(),
                event.error() == null ? null : value("error", event.error()));
    }

    ErrorsDescriptor.Group errorGroup(ErrorGroup group) {
        return new ErrorsDescriptor.Group(
                group.id(),
                value("error", group.error() == null ? "" : group.error()),
                group.count(),
                group.sample(),
                group.latest());
    }

    ListenerDescriptor listener(DelayQueueListenerContainer container) {
        return new ListenerDescriptor(
                container.id(),
                container.isRunning(),
                container.isPaused(),
                container.isHealthy(),
                container.inFlight(),
                container.options().concurrency(),
                new ListenerDescriptor.Settings(
                        container.options().lease(),
                        container.options().timeout(),
                        container.options().maxAttempts(),
                        String.valueOf(container.options().backoff()),
                        container.shutdownTimeout(),
                        container.isAutoStartup()));
    }

    /** The same words as the {@code state} tag of the meters. */
    private static String state(MessageState state) {
        return switch (state) {
            case SCHEDULED -> "scheduled";
            case READY -> "ready";
            case IN_FLIGHT -> "in_flight";
            case DEAD -> "dead";
        };
    }

    private Map<String, String> headers(Map<String, String> headers) {
        Map<String, String> values = new TreeMap<>(headers);
        values.replaceAll(this::value);
        return values;
    }

    private String value(String key, String value) {
        return String.valueOf(sanitizer.sanitize(new SanitizableData(null, key, value), showValues));
    }

    private static String text(byte[] payload) {
        String text = new String(payload, StandardCharsets.UTF_8);
        return text.length() > MAX_PAYLOAD_CHARS ? text.substring(0, MAX_PAYLOAD_CHARS) : text;
    }
}
