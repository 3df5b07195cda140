package io.delayqueue.gateway.callback;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hc.client5.http.async.methods.AbstractBinResponseConsumer;
import org.apache.hc.core5.http.ContentType;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpHeaders;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.protocol.HttpContext;
import org.jspecify.annotations.Nullable;

/** Keeps the head of a response and drops its body, of which it reads so much that the connection can mostly be used again. */
final class HeadOfResponse extends AbstractBinResponseConsumer<CallbackResponse> {

    private static final int MOST_BYTES = 64 * 1024;
    private static final int STEP = 16 * 1024;

    private volatile @Nullable CallbackResponse head;
    private long bytes;

    /** The head; null before it came. */
    @Nullable
    CallbackResponse head() {
        return head;
    }

    @Override
    protected void start(HttpResponse response, @Nullable ContentType contentType) {
        head = new CallbackResponse(
                response.getCode(),
                value(response, ResponsePolicy.RETRY_HEADER),
                value(response, HttpHeaders.RETRY_AFTER));
    }

    private static @Nullable String value(HttpResponse response, String name) {
        Header header = response.getFirstHeader(name);
        return header == null ? null : header.getValue();
    }

    @Override
    public void informationResponse(HttpResponse response, HttpContext context) {}

    @Override
    protected int capacityIncrement() {
        return STEP;
    }

    @Override
    protected void data(ByteBuffer source, boolean endOfStream) throws IOException {
        bytes += source.remaining();
        source.position(source.limit());
        if (bytes > MOST_BYTES) {
            throw new IOException("the body of the response has more than " + MOST_BYTES + " bytes");
        }
    }

    @Override
    protected @Nullable CallbackResponse buildResult() {
        return head;
    }

    @Override
    public void releaseResources() {}
}
