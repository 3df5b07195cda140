package io.delayqueue.gateway.callback;

import java.net.URI;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The URL that each message of a topic is sent to. Checked anew each time.
 *
 * @param url the topic's; null if each message has its own
 * @param rules rules of the topic's URL
 * @param messageRules rules of the messages' own URLs; null if they may have none
 */
record CallbackUrls(
        @Nullable String url, TargetRules rules, @Nullable TargetRules messageRules) {

    /**
     * The URL for a message with these headers.
     *
     * @throws TargetException if there is none, or no callback may be sent there
     */
    URI of(Map<String, String> headers) {
        String own = headers.get(CallbackMessageHeaders.URL);
        if (own != null) {
            if (messageRules == null) {
                throw new TargetException("messages of this topic may not have a URL of their own");
            }
            return messageRules.check(own);
        }
        if (url == null) {
            throw new TargetException("the message has no URL: header '" + CallbackMessageHeaders.URL + "' is missing");
        }
        return rules.check(url);
    }
}
