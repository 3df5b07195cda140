package io.delayqueue.gateway.callback;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.test.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.apache.hc.client5.http.DnsResolver;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Callbacks of one process, started. Every host {@code *.example} is this machine. */
final class CallbackInstance implements AutoCloseable {

    static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private final RedisClient redis;
    private final LettuceConnectionFactory connections;
    private final DelayQueueClient client;
    private final Callbacks callbacks;
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<String> lostResults = new CopyOnWriteArrayList<>();

    private CallbackInstance(EmbeddedRedis server, DnsResolver resolver, Map<String, String> properties) {
        redis = RedisClient.create(server.uri());
        connections = new LettuceConnectionFactory(server.host(), server.port());
        connections.afterPropertiesSet();
        connections.start();
        CallbackConfiguration configuration = configuration(properties);
        client = DelayQueueClient.create(
                redis,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(20))
                        .shutdownTimeout(Duration.ofSeconds(1))
                        .messageCheck(configuration.messageCheck())
                        .build());
        callbacks = new Callbacks(
                client,
                configuration,
                new StringRedisTemplate(connections),
                null,
                List.of(this::broken, new Calls()),
                resolver);
        callbacks.start();
    }

    private void broken(String topic, String target, CallResult result, Duration duration) {
        throw new IllegalStateException("an observer that fails");
    }

    private final class Calls implements CallbackObserver {

        @Override
        public void called(String topic, String target, CallResult result, Duration duration) {
            calls.add(topic + " " + target + " " + result);
        }

        @Override
        public void resultLost(String topic) {
            lostResults.add(topic);
        }
    }

    static CallbackConfiguration configuration(Map<String, String> properties) {
        Binder binder = new Binder(new MapConfigurationPropertySource(properties));
        return new CallbackConfiguration(
                binder.bindOrCreate("delayqueue.gateway.callbacks", CallbackProperties.class),
                binder.bindOrCreate("delayqueue", CallbackTopicProperties.class));
    }

    /** An instance whose topic {@code hooks} calls {@code hook.example}, unless the properties say otherwise. */
    static CallbackInstance start(EmbeddedRedis server, Receiver receiver, String... properties) {
        return start(server, receiver, host -> host, properties);
    }

    /** @param asked is given each host that is resolved */
    static CallbackInstance start(
            EmbeddedRedis server, Receiver receiver, UnaryOperator<String> asked, String... properties) {
        return start(
                server,
                receiver,
                new ExampleHosts(host -> {
                    String name = asked.apply(host);
                    return name.endsWith(".example") ? "127.0.0.1" : null;
                }),
                properties);
    }

    /** @param addresses tells the address of each host */
    static CallbackInstance startWithAddresses(
            EmbeddedRedis server, Receiver receiver, UnaryOperator<String> addresses, String... properties) {
        return start(server, receiver, new ExampleHosts(addresses), properties);
    }

    private static CallbackInstance start(
            EmbeddedRedis server, Receiver receiver, DnsResolver resolver, String... properties) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("delayqueue.gateway.callbacks.allow-http", "true");
        all.put("delayqueue.gateway.callbacks.hosts", "*.example");
        all.put("delayqueue.gateway.callbacks.ports", receiver.port() + ",1");
        all.put("delayqueue.gateway.callbacks.allowed-ranges", "127.0.0.1");
        all.put("delayqueue.callbacks.hooks.url", "http://hook.example:" + receiver.port() + "/in?x=1");
        all.put("delayqueue.callbacks.hooks.secrets", SECRET);
        all.put("delayqueue.callbacks.hooks.backoff.delays", "100ms");
        for (String property : properties) {
            int equals = property.indexOf('=');
            all.put(property.substring(0, equals), property.substring(equals + 1));
        }
        return new CallbackInstance(server, resolver, all);
    }

    DelayQueueClient client() {
        return client;
    }

    CallbackTargets targets() {
        return callbacks.targets();
    }

    /** Topic, target and result of each call. */
    List<String> calls() {
        return calls;
    }

    /** Topic of each result that could not be scheduled. */
    List<String> lostResults() {
        return lostResults;
    }

    /** Stops as an application does. */
    void stop() {
        callbacks.stop();
    }

    void schedule(OutgoingMessage.Builder message) {
        assertScheduled(client.schedule(message.build()).id());
    }

    private static void assertScheduled(String id) {
        if (id.isEmpty()) {
            throw new AssertionError("not scheduled");
        }
    }

    @Override
    public void close() {
        callbacks.stop();
        client.close();
        redis.shutdown();
        connections.destroy();
    }

    private record ExampleHosts(UnaryOperator<String> addresses) implements DnsResolver {

        @Override
        public InetAddress[] resolve(String host) throws UnknownHostException {
            String address = addresses.apply(host);
            if (address == null) {
                throw new UnknownHostException(host);
            }
            return new InetAddress[] {AddressLiteral.parse(address)};
        }

        @Override
        public String resolveCanonicalHostname(String host) {
            return host;
        }
    }
}
