package io.delayqueue.gateway.callback;

import io.delayqueue.Backoff;
import io.delayqueue.ConsumerOptions;
import io.delayqueue.MessageCheck;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.callback.CallbackTopic.ResultRoute;
import io.delayqueue.gateway.callback.CallbackTopic.Signatures;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/** The configured callbacks, checked. */
public final class CallbackConfiguration {

    /** A topic's results that are sent to URLs go through a topic of this name. */
    static final String RESULTS = ".callback-results";

    private static final String PREFIX = "delayqueue.callbacks.";
    private static final Duration SHORTEST_LEASE = Duration.ofSeconds(30);

    /** The lease is renewed while a call runs; this much remains if it isn't. */
    private static final Duration BEYOND_TOTAL = Duration.ofSeconds(10);

    private final CallbackSettings settings;
    private final Map<String, CallbackTopic> topics = new LinkedHashMap<>();

    /**
     * Checks properties.
     *
     * @throws InvalidCallbackException if one is wrong
     */
    public CallbackConfiguration(CallbackProperties properties, CallbackTopicProperties topicProperties) {
        this.settings = new CallbackSettings(properties);
        topicProperties.getCallbacks().forEach(this::add);
    }

    /**
     * Makes sure that requests can be sent.
     *
     * @throws InvalidCallbackException if the HTTP client is not on the class path
     */
    public static void requireHttpClient(@Nullable ClassLoader classLoader) {
        if (!ClassUtils.isPresent("org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient", classLoader)) {
            throw new InvalidCallbackException(
                    "delayqueue.callbacks",
                    "callbacks need org.apache.httpcomponents.client5:httpclient5 on the class path");
        }
    }

    /** Refuses messages to these topics that can't be sent. */
    public MessageCheck messageCheck() {
        return new CallbackMessageCheck(topics);
    }

    CallbackSettings settings() {
        return settings;
    }

    /** The topics, those of results included. */
    List<CallbackTopic> topics() {
        return List.copyOf(topics.values());
    }

    /** Names of the topics, those of results included. */
    public Set<String> topicNames() {
        return Set.copyOf(topics.keySet());
    }

    private void add(String name, CallbackTopicProperties.Topic properties) {
        String prefix = PREFIX + name + ".";
        check(PREFIX + name, name, OutgoingMessage::to);
        CallbackUrls urls = urls(prefix, properties);
        ResultRoute onSuccess = route(prefix + "on-success", name, properties.getOnSuccess());
        ResultRoute onFailure = route(prefix + "on-failure", name, properties.getOnFailure());
        CallbackTopic.Form form = new CallbackTopic.Form(
                method(prefix, properties), contentType(prefix, properties), signatures(prefix, properties, urls));
        ConsumerOptions options = options(prefix, properties, urls);
        topics.put(
                name,
                new CallbackTopic(
                        name,
                        urls,
                        form,
                        blankToNull(properties.getFlow()),
                        options,
                        new CallbackTopic.Results(onSuccess, onFailure)));
        addResults(name, form, options, onSuccess, onFailure);
    }

    /** Results that are sent to URLs are messages of a topic of their own, signed as those they are about. */
    private void addResults(
            String name,
            CallbackTopic.Form form,
            ConsumerOptions options,
            @Nullable ResultRoute onSuccess,
            @Nullable ResultRoute onFailure) {
        List<String> hosts = new ArrayList<>();
        for (ResultRoute route : new @Nullable ResultRoute[] {onSuccess, onFailure}) {
            if (route != null && route.url() != null) {
                hosts.add(URI.create(route.url()).getHost());
            }
        }
        if (!hosts.isEmpty()) {
            CallbackUrls urls = new CallbackUrls(null, settings.rules(hosts), settings.rules(hosts));
            topics.put(
                    name + RESULTS,
                    new CallbackTopic(
                            name + RESULTS,
                            urls,
                            new CallbackTopic.Form("POST", "application/json", form.signatures()),
                            null,
                            options,
                            CallbackTopic.Results.NONE));
        }
    }

    private CallbackUrls urls(String prefix, CallbackTopicProperties.Topic properties) {
        String url = blankToNull(properties.getUrl());
        if (url == null && !properties.isAllowMessageUrl()) {
            throw new InvalidCallbackException(prefix + "url", "it is missing, and allow-message-url is not set");
        }
        if (properties.isAllowMessageUrl() && settings.hosts().isEmpty()) {
            throw new InvalidCallbackException(
                    "delayqueue.gateway.callbacks.hosts",
                    "it must name the hosts that URLs of messages may have, since " + prefix
                            + "allow-message-url is set");
        }
        TargetRules rules = url == null ? settings.rules(settings.hosts()) : rulesFor(prefix + "url", url);
        return new CallbackUrls(url, rules, properties.isAllowMessageUrl() ? settings.rules(settings.hosts()) : null);
    }

    /** The host of a URL that the configuration has is allowed by that. */
    private TargetRules rulesFor(String property, String url) {
        String host;
        try {
            host = new URI(url).getHost();
        } catch (URISyntaxException e) {
            throw new InvalidCallbackException(property, "the URL is malformed");
        }
        TargetRules rules = settings.rules(host == null ? List.of("*") : List.of(host));
        check(property, url, rules::check);
        return rules;
    }

    private @Nullable ResultRoute route(String property, String name, CallbackTopicProperties.Result properties) {
        String topic = blankToNull(properties.getTopic());
        String url = blankToNull(properties.getUrl());
        if (topic != null && url != null) {
            throw new InvalidCallbackException(property, "set topic or url, not both");
        }
        if (topic != null) {
            check(property + ".topic", topic, OutgoingMessage::to);
            if (topic.equals(name)) {
                throw new InvalidCallbackException(property + ".topic", "results of a topic can't be its own messages");
            }
            return new ResultRoute(topic, null);
        }
        if (url == null) {
            return null;
        }
        rulesFor(property + ".url", url);
        return new ResultRoute(name + RESULTS, url);
    }

    private ConsumerOptions options(String prefix, CallbackTopicProperties.Topic properties, CallbackUrls urls) {
        ConsumerOptions.Builder options = ConsumerOptions.builder();
        Duration lease = settings.timeouts().total().plus(BEYOND_TOTAL);
        options.lease(lease.compareTo(SHORTEST_LEASE) < 0 ? SHORTEST_LEASE : lease);
        check(prefix + "max-attempts", properties.getMaxAttempts(), options::maxAttempts);
        check(prefix + "concurrency", properties.getConcurrency(), options::concurrency);
        if (urls.messageRules() == null && urls.url() != null) {
            // more messages than its only target takes would come in vain
            String flow = blankToNull(properties.getFlow());
            String target =
                    flow != null ? flow : URI.create(urls.url()).getHost().toLowerCase(Locale.ROOT);
            options.concurrency(Math.min(
                    properties.getConcurrency(), settings.limits(target).parallelism()));
        }
        return options.backoff(backoff(prefix + "backoff", properties.getBackoff()))
                .build();
    }

    private static Backoff backoff(String property, CallbackBackoffProperties backoff) {
        return check(
                property,
                backoff,
                settings -> settings.getDelays().isEmpty()
                        ? Backoff.exponential(
                                settings.getInitial(),
                                settings.getMultiplier(),
                                settings.getMax(),
                                settings.getJitter())
                        : Backoff.delays(settings.getDelays()));
    }

    private static String method(String prefix, CallbackTopicProperties.Topic properties) {
        String method = properties.getMethod().toUpperCase(Locale.ROOT);
        if (!List.of("POST", "PUT", "PATCH").contains(method)) {
            throw new InvalidCallbackException(prefix + "method", "it must be POST, PUT or PATCH");
        }
        return method;
    }

    private static String contentType(String prefix, CallbackTopicProperties.Topic properties) {
        String problem = CallbackHeaders.problem("content-type", properties.getContentType());
        if (problem != null) {
            throw new InvalidCallbackException(prefix + "content-type", problem);
        }
        return properties.getContentType();
    }

    private static Signatures signatures(String prefix, CallbackTopicProperties.Topic properties, CallbackUrls urls) {
        Map<String, WebhookSignature> byHost = new HashMap<>();
        properties.getHostSecrets().forEach((name, secrets) -> {
            String property = prefix + "host-secrets[" + name + "]";
            String host = name.toLowerCase(Locale.ROOT);
            if (!isCalled(host, properties, urls)) {
                throw new InvalidCallbackException(
                        property,
                        "no URL of the topic or of its results, and no allowed URL of a message, has this host");
            }
            byHost.put(host, signature(property, secrets));
        });
        return new Signatures(signature(prefix + "secrets", properties.getSecrets()), byHost);
    }

    private static boolean isCalled(String host, CallbackTopicProperties.Topic properties, CallbackUrls urls) {
        boolean isOfProperty = Stream.of(
                        properties.getUrl(),
                        properties.getOnSuccess().getUrl(),
                        properties.getOnFailure().getUrl())
                .filter(url -> blankToNull(url) != null)
                .anyMatch(url -> host.equalsIgnoreCase(URI.create(url).getHost()));
        return isOfProperty
                || (urls.messageRules() != null && urls.messageRules().allowsHost(host));
    }

    private static WebhookSignature signature(String property, List<String> secrets) {
        return check(
                property,
                secrets,
                values -> new WebhookSignature(
                        values.stream().map(WebhookSecret::parse).toList()));
    }

    private static @Nullable String blankToNull(@Nullable String text) {
        return text == null || text.isBlank() ? null : text;
    }

    private static <T, R> R check(String property, T value, Function<T, R> check) {
        try {
            return check.apply(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidCallbackException(property, String.valueOf(e.getMessage()));
        }
    }
}
