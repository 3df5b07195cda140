package io.delayqueue.gateway.http;

import io.delayqueue.gateway.claim.AnswerTimes;
import io.delayqueue.gateway.claim.AnswerWriting;
import io.delayqueue.gateway.claim.ClaimDelivery;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.View;
import org.springframework.web.util.ContentCachingResponseWrapper;
import org.springframework.web.util.WebUtils;

/**
 * Writes claimed messages through to the client's connection, and tells the delivery how that went. While a client waits, the container
 * does not look at its connection: that the client went away shows at a write after the one that its system refused. So the head goes
 * first to a client that waited. A client that reads slowly holds no thread, except behind a filter that keeps answers to write them
 * itself.
 */
final class ClaimAnswer implements View {

    private static final Logger log = LoggerFactory.getLogger(ClaimAnswer.class);

    private final ClaimDelivery delivery;
    private final byte[] withoutMessages;
    private final boolean headFirst;
    private final AnswerTimes times;

    /** Empty once it is handed over: the container keeps this object until the request ends. */
    private byte[] body;

    /**
     * An answer, not yet written.
     *
     * @param body tells the messages
     * @param withoutMessages written instead if the messages were released meanwhile
     */
    ClaimAnswer(ClaimDelivery delivery, byte[] body, byte[] withoutMessages, boolean headFirst, AnswerTimes times) {
        this.delivery = delivery;
        this.body = body;
        this.withoutMessages = withoutMessages;
        this.headFirst = headFirst;
        this.times = times;
    }

    @Override
    public void render(@Nullable Map<String, ?> model, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        byte[] answer = delivery.beginAnswer() ? body : withoutMessages;
        body = withoutMessages;
        try {
            // or the container adds one, which JSON does not have
            response.setCharacterEncoding((String) null);
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.setContentLength(answer.length);
            if (WebUtils.getNativeResponse(response, ContentCachingResponseWrapper.class) == null) {
                AsyncContext context = request.startAsync(request, response);
                AnswerWriting.begin(context, answer, delivery, headFirst, times);
            } else {
                delivery.beginLease();
                response.getOutputStream().write(answer);
                response.flushBuffer();
                delivery.confirm();
            }
        } catch (IOException e) {
            // the container would log it as an error
            log.debug("A client went away before its answer was written", e);
            delivery.release();
        } catch (RuntimeException e) {
            delivery.release();
            throw e;
        }
    }
}
