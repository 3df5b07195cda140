package io.delayqueue.internal.redis;

import io.delayqueue.DeadLetter;
import io.delayqueue.InFlightMessages;
import io.delayqueue.MessageInfo;
import io.delayqueue.MessageState;
import io.delayqueue.PendingMessage;
import io.delayqueue.ReceivedMessage;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.ClaimAnswer;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.DeadLetterStore.DeadLetterKey;
import io.delayqueue.internal.store.DeadLetterStore.DeadLetterStep;
import io.delayqueue.internal.store.OrphanScanStep;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the replies of scripts that carry whole messages. */
final class MessageReplies {

    private static final Logger log = LoggerFactory.getLogger(MessageReplies.class);

    private MessageReplies() {}

    /**
     * Reads claimed messages. A message whose body makes no sense is left out: its lease expires, so it is retried and
     * dead-lettered after its attempts, and does not hold up its neighbours.
     */
    static ClaimAnswer claim(List<Object> reply, String topic, int maxAttempts) {
        long receipt = Replies.number(reply.get(3));
        List<Object> leased = Replies.list(reply.get(4));
        List<Object> failures = Replies.list(reply.get(5));
        long suspect = Replies.number(reply.get(15));
        List<Claimed> claimed = new ArrayList<>(leased.size() / 3);
        for (int i = 0; i < leased.size(); i += 3) {
            String id = Replies.text(leased.get(i));
            long due = Replies.number(leased.get(i + 1));
            int failed = failures.isEmpty() ? 0 : (int) Replies.number(failures.get(i / 3));
            try {
                Envelope envelope = Envelope.decode((byte[]) leased.get(i + 2), topic, id);
                claimed.add(new Claimed(
                        message(envelope, topic, id, failed, due, maxAttempts), due, receipt, i / 3 + 1 == suspect));
            } catch (UnexpectedReplyException e) {
                log.warn(
                        "A claimed message can't be read; it will be dead-lettered after its attempts: {}",
                        e.getMessage());
            }
        }
        return new ClaimAnswer(
                Replies.number(reply.get(0)),
                Replies.number(reply.get(1)),
                Replies.number(reply.get(2)) == 1,
                claimed,
                Replies.texts(reply.get(6)),
                Replies.texts(reply.get(7)),
                deadLettered(Replies.list(reply.get(8))),
                Replies.number(reply.get(9)),
                (int) Replies.number(reply.get(10)),
                Replies.number(reply.get(11)),
                Replies.number(reply.get(12)),
                Replies.number(reply.get(13)),
                Replies.number(reply.get(14)),
                Replies.number(reply.get(16)));
    }

    static OrphanScanStep orphanScan(List<Object> reply) {
        return new OrphanScanStep(Replies.text(reply.get(0)), deadLettered(Replies.list(reply.get(1))));
    }

    private static List<ClaimAnswer.DeadLettered> deadLettered(List<Object> idsAndAttempts) {
        List<ClaimAnswer.DeadLettered> dead = new ArrayList<>(idsAndAttempts.size() / 2);
        for (int i = 0; i < idsAndAttempts.size(); i += 2) {
            dead.add(new ClaimAnswer.DeadLettered(
                    Replies.text(idsAndAttempts.get(i)), (int) Replies.number(idsAndAttempts.get(i + 1))));
        }
        return dead;
    }

    private static ReceivedMessage message(
            Envelope envelope, String topic, String id, int failed, long due, int defaultAttempts) {
        Integer maxAttempts = envelope.maxAttempts();
        return ReceivedMessage.of(topic, id)
                .payload(envelope.payload())
                .headers(envelope.headers())
                .attempt(failed + 1)
                .maxAttempts(maxAttempts != null ? maxAttempts : defaultAttempts)
                .due(Micros.instant(due))
                .priority(envelope.priority())
                .generation(envelope.generation())
                .build();
    }

    static Optional<MessageInfo> find(List<Object> reply, String topic, String id) {
        if (reply.isEmpty()) {
            return Optional.empty();
        }
        Instant now = Micros.instant(Replies.number(reply.get(0)));
        String place = Replies.text(reply.get(1));
        Instant at = Micros.instant(Replies.number(reply.get(2)));
        int failed = (int) Replies.number(reply.get(3));
        Envelope envelope = Envelope.decode((byte[]) reply.get(4), topic, id);
        MessageState state = switch (place) {
            case "S" -> at.isAfter(now) ? MessageState.SCHEDULED : MessageState.READY;
            case "L" -> MessageState.IN_FLIGHT;
            case "D" -> MessageState.DEAD;
            default -> throw new IllegalStateException("unknown place " + place);
        };
        boolean leased = state == MessageState.IN_FLIGHT;
        boolean dead = state == MessageState.DEAD;
        return Optional.of(MessageInfo.of(topic, id, state)
                .generation(envelope.generation())
                .time(now)
                .due(leased || dead ? null : at)
                .attempt(leased ? failed + 1 : failed)
                .maxAttempts(envelope.maxAttempts())
                .timeToLive(envelope.timeToLive())
                .scheduledAt(envelope.scheduledAt())
                .leaseDeadline(leased ? at : null)
                .deadLetteredAt(dead ? at : null)
                .error(dead ? Replies.text(reply.get(5)) : null)
                .priority(envelope.priority())
                .headers(envelope.headers())
                .payload(envelope.payload())
                .build());
    }

    /** A dead letter whose body was deleted or makes no sense is listed with the fields that are known. */
    static DeadLetterStep deadLetters(List<Object> reply, String topic) {
        List<DeadLetter> page = new ArrayList<>(reply.size() / 5);
        for (int i = 1; i < reply.size(); i += 5) {
            String id = Replies.text(reply.get(i));
            Instant deadLetteredAt = Micros.instant(Replies.number(reply.get(i + 1)));
            int attempts = (int) Replies.number(reply.get(i + 2));
            String error = Replies.text(reply.get(i + 3));
            byte[] body = (byte[]) reply.get(i + 4);
            DeadLetter letter;
            try {
                Envelope envelope = Envelope.decode(body, topic, id);
                letter = new DeadLetter(
                        topic,
                        id,
                        envelope.payload(),
                        envelope.headers(),
                        error,
                        attempts,
                        envelope.scheduledAt(),
                        deadLetteredAt);
            } catch (UnexpectedReplyException e) {
                letter = new DeadLetter(topic, id, body, Map.of(), error, attempts, deadLetteredAt, deadLetteredAt);
            }
            page.add(letter);
        }
        return new DeadLetterStep(page, Replies.number(reply.get(0)) == 1);
    }

    static List<DeadLetterKey> deadLetterKeys(List<Object> reply) {
        List<DeadLetterKey> keys = new ArrayList<>(reply.size() / 2);
        for (int i = 0; i < reply.size(); i += 2) {
            keys.add(new DeadLetterKey(Replies.text(reply.get(i)), Replies.number(reply.get(i + 1))));
        }
        return keys;
    }

    static InFlightMessages inFlight(List<Object> reply) {
        List<Object> consumers = Replies.list(reply.get(1));
        List<InFlightMessages.Holder> holders = new ArrayList<>(consumers.size() / 3);
        for (int i = 0; i < consumers.size(); i += 3) {
            holders.add(new InFlightMessages.Holder(
                    Replies.text(consumers.get(i)),
                    Replies.number(consumers.get(i + 1)),
                    instantOrNull(Replies.number(consumers.get(i + 2)))));
        }
        List<Object> leased = Replies.list(reply.get(2));
        List<InFlightMessages.Message> messages = new ArrayList<>(leased.size() / 6);
        for (int i = 0; i < leased.size(); i += 6) {
            String consumer = Replies.text(leased.get(i + 4));
            messages.add(new InFlightMessages.Message(
                    Replies.text(leased.get(i)),
                    (int) Replies.number(leased.get(i + 2)) + 1,
                    consumer.isEmpty() ? null : consumer,
                    instantOrNull(Replies.number(leased.get(i + 5))),
                    Micros.instant(Replies.number(leased.get(i + 1))),
                    (int) Replies.number(leased.get(i + 3))));
        }
        return new InFlightMessages(Micros.instant(Replies.number(reply.get(0))), holders, messages);
    }

    private static @Nullable Instant instantOrNull(long micros) {
        return micros < 0 ? null : Micros.instant(micros);
    }

    static List<PendingMessage> pending(List<Object> reply, String topic) {
        long now = Replies.number(reply.get(0));
        List<PendingMessage> page = new ArrayList<>(reply.size() / 5);
        for (int i = 1; i < reply.size(); i += 5) {
            long due = Replies.number(reply.get(i + 1));
            page.add(new PendingMessage(
                    topic,
                    Replies.text(reply.get(i)),
                    due > now ? MessageState.SCHEDULED : MessageState.READY,
                    Micros.instant(due),
                    (int) Replies.number(reply.get(i + 2)),
                    (int) Replies.number(reply.get(i + 3)),
                    (int) Replies.number(reply.get(i + 4))));
        }
        return page;
    }
}
