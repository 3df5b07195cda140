package io.delayqueue.gateway.sqs.protocol;

import java.util.Map;

/**
 * The bytes to answer with.
 *
 * @param status the status
 * @param contentType the type of the body
 * @param headers further headers
 * @param body the body, not copied
 */
public record SqsAnswer(int status, String contentType, Map<String, String> headers, byte[] body) {
    public SqsAnswer {
        headers = Map.copyOf(headers);
    }
}
