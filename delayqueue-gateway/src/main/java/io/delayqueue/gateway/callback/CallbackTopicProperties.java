package io.delayqueue.gateway.callback;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Properties of topics whose messages are sent to URLs. */
@ConfigurationProperties("delayqueue")
public class CallbackTopicProperties {

    /**
     * Topics whose messages are sent to URLs, by name.
     */
    private final Map<String, Topic> callbacks = new LinkedHashMap<>();

    public Map<String, Topic> getCallbacks() {
        return callbacks;
    }

    /** Properties of a topic. */
    public static class Topic {

        /**
         * URL that messages are sent to.
         */
        private @Nullable String url;

        /**
         * Whether messages may name a URL in the header delayqueue-callback-url.
         */
        private boolean allowMessageUrl;

        /**
         * Secrets that sign requests: whsec_ and 24 to 64 bytes in base64. Two while they are being changed.
         */
        private List<String> secrets = List.of();

        /**
         * Secrets for hosts of other receivers, by host name: requests to them are signed with these only.
         */
        private Map<String, List<String>> hostSecrets = new LinkedHashMap<>();

        /**
         * HTTP method of requests.
         */
        private String method = "POST";

        /**
         * Content type of messages without a header content-type.
         */
        private String contentType = "application/json";

        /**
         * Key of the target for limits, pause and breaker. Default: the URL's host.
         */
        private @Nullable String flow;

        /**
         * Number of messages handled at once by an instance.
         */
        private int concurrency = 100;

        /**
         * Number of attempts before a message is dead-lettered.
         */
        private int maxAttempts = 10;

        /**
         * Delays between attempts.
         */
        private final CallbackBackoffProperties backoff = new CallbackBackoffProperties();

        /**
         * Message about each message that its target accepted.
         */
        private final Result onSuccess = new Result();

        /**
         * Message about each message that is dead-lettered.
         */
        private final Result onFailure = new Result();

        public @Nullable String getUrl() {
            return url;
        }

        public void setUrl(@Nullable String url) {
            this.url = url;
        }

        public boolean isAllowMessageUrl() {
            return allowMessageUrl;
        }

        public void setAllowMessageUrl(boolean allowMessageUrl) {
            this.allowMessageUrl = allowMessageUrl;
        }

        public List<String> getSecrets() {
            return secrets;
        }

        public void setSecrets(List<String> secrets) {
            this.secrets = secrets;
        }

        public Map<String, List<String>> getHostSecrets() {
            return hostSecrets;
        }

        public void setHostSecrets(Map<String, List<String>> hostSecrets) {
            this.hostSecrets = hostSecrets;
        }

        public String getMethod() {
            return method;
        }

        public void setMethod(String method) {
            this.method = method;
        }

        public String getContentType() {
            return contentType;
        }

        public void setContentType(String contentType) {
            this.contentType = contentType;
        }

        public @Nullable String getFlow() {
            return flow;
        }

        public void setFlow(@Nullable String flow) {
            this.flow = flow;
        }

        public int getConcurrency() {
            return concurrency;
        }

        public void setConcurrency(int concurrency) {
            this.concurrency = concurrency;
        }

        public int getMaxAttempts() {
            return maxAttempts;
        }

        public void setMaxAttempts(int maxAttempts) {
            this.maxAttempts = maxAttempts;
        }

        public CallbackBackoffProperties getBackoff() {
            return backoff;
        }

        public Result getOnSuccess() {
            return onSuccess;
        }

        public Result getOnFailure() {
            return onFailure;
        }
    }

    /** Where results are sent: to a topic or to a URL. */
    public static class Result {

        /**
         * Topic to schedule the message to.
         */
        private @Nullable String topic;

        /**
         * URL to send the message to.
         */
        private @Nullable String url;

        public @Nullable String getTopic() {
            return topic;
        }

        public void setTopic(@Nullable String topic) {
            this.topic = topic;
        }

        public @Nullable String getUrl() {
            return url;
        }

        public void setUrl(@Nullable String url) {
            this.url = url;
        }
    }
}
