package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.security.ByteBudget;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The body of a request: at first as much as has come, then, if there is more, the rest as it comes, without a thread that waits. It counts
 * to the memory of all bodies until the request ends.
 */
final class RequestBody {

    private static final int CHUNK = 8 * 1024;

    /** Of a message as most are. */
    private static final int SMALL = 64 * 1024;

    private final HttpServletRequest request;
    private final ServletInputStream in;
    private final int maxBytes;
    private final Caller caller;
    private final ByteBudget memory;
    private final long declared;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final AtomicBoolean ended = new AtomicBoolean();
    private long taken;

    /**
     * A body of which nothing is read yet.
     *
     * @param caller caller whose share of the memory it takes
     */
    RequestBody(HttpServletRequest request, int maxBytes, Caller caller, ByteBudget memory) throws IOException {
        this.request = request;
        this.caller = caller;
        this.in = request.getInputStream();
        this.maxBytes = maxBytes;
        this.memory = memory;
        this.declared = request.getContentLengthLong();
    }

    /** Whether all of it was read. */
    boolean isComplete() {
        boolean none = declared < 0
                && request.getHeader("Transfer-Encoding") == null
                && request.getProtocol().startsWith("HTTP/1");
        return none || bytes.size() == declared;
    }

    byte[] bytes() {
        return bytes.toByteArray();
    }

    /**
     * Reads as much as has come.
     *
     * @throws SqsException if it is too large, or there is no memory for it
     */
    void readAvailable() throws IOException {
        if (declared > maxBytes) {
            throw tooLarge();
        }
        byte[] chunk = new byte[CHUNK];
        while (!isComplete() && in.available() > 0) {
            int read = in.read(chunk);
            if (read < 0) {
                return;
            }
            add(chunk, read);
        }
    }

    private void add(byte[] chunk, int length) {
        if (bytes.size() + length > maxBytes) {
            throw tooLarge();
        }
        boolean large = declared < 0 || declared > SMALL;
        if (!(large ? memory.tryTakeOfLarge(caller, length) : memory.tryTake(caller, length))) {
            throw SqsErrors.unavailable();
        }
        taken += length;
        bytes.write(chunk, 0, length);
    }

    private SqsException tooLarge() {
        return new SqsException(SqsError.INVALID_PARAMETER_VALUE, "The request has more than " + maxBytes + " bytes.");
    }

    /** Reads the rest, in a request that was made asynchronous. The future is completed by a thread of the container. */
    CompletableFuture<Void> readRest() {
        CompletableFuture<Void> whole = new CompletableFuture<>();
        in.setReadListener(new ReadListener() {
            private final byte[] chunk = new byte[CHUNK];

            @Override
            public void onDataAvailable() throws IOException {
                try {
                    while (!whole.isDone() && in.isReady()) {
                        int read = in.read(chunk);
                        if (read < 0) {
                            return;
                        }
                        add(chunk, read);
                    }
                } catch (SqsException e) {
                    whole.completeExceptionally(e);
                }
            }

            @Override
            public void onAllDataRead() {
                whole.complete(null);
            }

            @Override
            public void onError(Throwable failure) {
                whole.completeExceptionally(failure);
            }
        });
        return whole;
    }

    /**
     * Reads nothing more, in a request that was made asynchronous. Without this, the container would wait for the rest of the body after
     * the answer, on a thread and for as long as a byte comes now and then.
     */
    void abandon() {
        in.setReadListener(new ReadListener() {
            @Override
            public void onDataAvailable() {}

            @Override
            public void onAllDataRead() {}

            @Override
            public void onError(Throwable failure) {}
        });
    }

    /** The request ended. */
    void end() {
        if (ended.compareAndSet(false, true)) {
            memory.giveBack(caller, taken);
        }
    }
}
