package io.delayqueue.jdbc.relay;

import io.delayqueue.DelayQueueException;
import io.delayqueue.Outbox;
import io.delayqueue.OutboxAnswer;
import io.delayqueue.OutboxOperation;
import io.delayqueue.OutboxReply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Sends loaded rows. */
final class RowSender {

    /** As many as a call of the outbox takes. */
    private static final int MOST_OPERATIONS = 512;

    private final Outbox outbox;

    RowSender(Outbox outbox) {
        this.outbox = outbox;
    }

    /**
     * Sends what the rows have, and gives them the answers.
     *
     * @param readAfterMicros a time of Redis before the rows were read or taken
     * @throws DelayQueueException if Redis failed before any row was sent
     */
    void send(List<RowInTransit> rows, long readAfterMicros) {
        int from = 0;
        while (from < rows.size()) {
            int to = from;
            int operations = 0;
            while (to < rows.size() && operations < MOST_OPERATIONS) {
                operations += rows.get(to).operations().size();
                to++;
            }
            sendAtOnce(rows.subList(from, to), readAfterMicros);
            from = to;
        }
    }

    /** A change that spoils the whole call must not hold up the others, so after such a failure each row is sent alone. */
    private void sendAtOnce(List<RowInTransit> rows, long readAfterMicros) {
        try {
            call(rows, readAfterMicros);
        } catch (RuntimeException e) {
            if (RedisFailures.concernAll(e)) {
                throw e;
            }
            for (RowInTransit row : rows) {
                sendAlone(row, readAfterMicros);
            }
        }
    }

    private void sendAlone(RowInTransit row, long readAfterMicros) {
        try {
            call(List.of(row), readAfterMicros);
        } catch (RuntimeException e) {
            if (RedisFailures.concernAll(e)) {
                throw e;
            }
            DelayQueueException failure = e instanceof DelayQueueException known
                    ? known
                    : new DelayQueueException(
                            e.toString(), row.key().topic(), row.key().id(), e);
            row.answered(Collections.nCopies(row.operations().size(), OutboxAnswer.failed(failure)), List.of());
        }
    }

    private void call(List<RowInTransit> rows, long readAfterMicros) {
        List<OutboxOperation> operations = new ArrayList<>(rows.size());
        rows.forEach(row -> operations.addAll(row.operations()));
        OutboxReply reply = operations.isEmpty()
                ? new OutboxReply(List.of(), List.of())
                : RedisFailures.await(outbox.send(operations, readAfterMicros));
        int from = 0;
        for (RowInTransit row : rows) {
            int to = from + row.operations().size();
            row.answered(reply.answers().subList(from, to), reply.marks());
            from = to;
        }
    }
}
