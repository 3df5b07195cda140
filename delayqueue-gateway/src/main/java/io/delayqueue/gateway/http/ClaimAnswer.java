package io.delayqueue.gateway.http;

import io.delayqueue.gateway.claim.ClaimDelivery;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.web.servlet.View;

/** Writes claimed messages through to the client's connection, and tells the delivery how that went. */
final class ClaimAnswer implements View {

    private final ClaimDelivery delivery;
    private final byte[] body;

    ClaimAnswer(ClaimDelivery delivery, byte[] body) {
        this.delivery = delivery;
        this.body = body;
    }

    @Override
    public void render(@Nullable Map<String, ?> model, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        try {
            response.setContentType(MediaType.APPLICATION_JSON_VALUE);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            response.flushBuffer();
        } catch (IOException | RuntimeException e) {
            delivery.release();
            throw e;
        }
        delivery.confirm();
    }
}
