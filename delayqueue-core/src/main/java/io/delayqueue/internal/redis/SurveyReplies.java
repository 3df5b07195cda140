package io.delayqueue.internal.redis;

import io.delayqueue.MessageState;
import io.delayqueue.SurveyedMessage;
import io.delayqueue.internal.store.OutboxStore.SurveyStep;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the replies of the script {@code survey}. */
final class SurveyReplies {

    private static final int FIRST = 2;
    private static final int FIELDS = 5;

    private SurveyReplies() {}

    static SurveyStep step(List<Object> reply) {
        long now = Replies.number(reply.get(0));
        List<SurveyedMessage> messages = new ArrayList<>((reply.size() - FIRST) / FIELDS);
        for (int at = FIRST; at < reply.size(); at += FIELDS) {
            messages.add(message(reply.subList(at, at + FIELDS), now));
        }
        return new SurveyStep(now, (int) Replies.number(reply.get(1)), messages);
    }

    private static SurveyedMessage message(List<Object> fields, long now) {
        long time = Replies.number(fields.get(3));
        MessageState state = state((byte[]) fields.get(2), time, now);
        boolean pending = state == MessageState.SCHEDULED || state == MessageState.READY;
        return new SurveyedMessage(
                Replies.text(fields.get(0)),
                Replies.text(fields.get(1)),
                state,
                pending ? time : 0,
                state == MessageState.DEAD ? time : 0,
                (int) Replies.number(fields.get(4)));
    }

    private static @Nullable MessageState state(byte[] place, long time, long now) {
        if (place.length == 0) {
            return null;
        }
        return switch (Replies.letters(place, 1)[0]) {
            case 'S' -> time > now ? MessageState.SCHEDULED : MessageState.READY;
            case 'I' -> MessageState.IN_FLIGHT;
            case 'D' -> MessageState.DEAD;
            default -> throw Replies.unknown(place[0]);
        };
    }
}
