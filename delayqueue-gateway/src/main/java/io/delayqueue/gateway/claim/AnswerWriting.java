package io.delayqueue.gateway.claim;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes an answer as fast as its client takes it, and holds no thread while the client takes nothing. Meanwhile it renews the leases of
 * the answer's messages. If the client does not take the whole answer in time, the messages go to others. Its connection ends at its next
 * read, or when it has read nothing for the container's own timeout of connections.
 *
 * <p>The container makes one call at a time.
 */
public final class AnswerWriting implements WriteListener {

    private static final Logger log = LoggerFactory.getLogger(AnswerWriting.class);

    /** The lease of a client begins with the last of these. */
    static final int CHUNK = 16 * 1024;

    private final ServletOutputStream out;
    private final AnswerTimes times;
    private final Runnable complete;
    private final AtomicBoolean ended = new AtomicBoolean();
    private final long begunNanos = System.nanoTime();
    private final int length;

    /** None once the writing has ended: container and timer may keep this object for longer. So it is with the body. */
    private volatile AnsweredMessages messages;

    private volatile byte[] body;

    /** Cancels the next look at the time. */
    private volatile Runnable nextLook = () -> {};

    private boolean headIsNext;
    private int written;
    private boolean flushed;

    /**
     * An answer of which nothing is written yet.
     *
     * @param headFirst whether the client waited: the container did not look at its connection, and that it went away shows at a write
     *     after the one that its system refused
     * @param complete ends the request
     */
    AnswerWriting(
            ServletOutputStream out,
            byte[] body,
            AnsweredMessages messages,
            boolean headFirst,
            AnswerTimes times,
            Runnable complete) {
        this.out = out;
        this.body = body;
        this.length = body.length;
        this.messages = messages;
        this.headIsNext = headFirst;
        this.times = times;
        this.complete = complete;
    }

    /**
     * Writes the body of an asynchronous request's answer, whose status and headers are set, and ends the request. The messages are
     * released if that fails, also if it fails here.
     */
    public static void begin(
            AsyncContext context, byte[] body, AnsweredMessages messages, boolean headFirst, AnswerTimes times)
            throws IOException {
        boolean begun = false;
        try {
            // or the container would have an error page written into the answer
            context.setTimeout(0);
            ServletOutputStream out = context.getResponse().getOutputStream();
            AnswerWriting writing = new AnswerWriting(out, body, messages, headFirst, times, () -> complete(context));
            out.setWriteListener(writing);
            begun = true;
            writing.lookAgainLater();
        } finally {
            if (!begun) {
                messages.release();
                complete(context);
            }
        }
    }

    private static void complete(AsyncContext context) {
        try {
            context.complete();
        } catch (IllegalStateException e) {
            log.debug("The container has ended the request, since its client went away", e);
        }
    }

    @Override
    public void onWritePossible() throws IOException {
        while (out.isReady()) {
            byte[] bytes = body;
            if (ended.get() || isLate()) {
                throw new IOException("the client did not take its answer in time");
            }
            if (headIsNext) {
                headIsNext = false;
                out.flush();
            } else if (written < length) {
                writeNext(bytes);
            } else if (!flushed) {
                flushed = true;
                out.flush();
            } else {
                end().confirm();
                complete.run();
                return;
            }
        }
    }

    private void writeNext(byte[] bytes) throws IOException {
        int next = Math.min(CHUNK, length - written);
        if (written + next == length) {
            // before the client can have the end of the answer, and with it a receipt
            messages.beginLease();
        }
        out.write(bytes, written, next);
        written += next;
    }

    @Override
    public void onError(Throwable failure) {
        log.debug("A client went away before its answer was written", failure);
        fail();
        complete.run();
    }

    /** By no thread of the container: all of these may be busy. An answer without messages is looked at when the client takes more. */
    private void lookAgainLater() {
        if (messages.isEmpty()) {
            return;
        }
        long left = times.longest().toNanos() - (System.nanoTime() - begunNanos);
        nextLook = times.threads().after(Math.min(left, times.renewal().toNanos()), this::lookAgain);
        if (ended.get()) {
            nextLook.run();
        }
    }

    private boolean isLate() {
        return System.nanoTime() - begunNanos >= times.longest().toNanos();
    }

    private void lookAgain() {
        if (isLate()) {
            log.debug("A client did not take its answer in time");
            fail();
        } else if (!ended.get()) {
            messages.renew();
            lookAgainLater();
        }
    }

    private void fail() {
        end().release();
    }

    /** The messages, for the first who ends the writing. */
    private AnsweredMessages end() {
        if (!ended.compareAndSet(false, true)) {
            return AnsweredMessages.none();
        }
        nextLook.run();
        AnsweredMessages answered = messages;
        messages = AnsweredMessages.none();
        body = new byte[0];
        return answered;
    }
}
