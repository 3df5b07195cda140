package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.MessageState;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.gateway.callback.Receiver.Reply;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Attempts to make callbacks call what they must not. The messages come past the check of the schedule call, as those of another client
 * or an older configuration do; each is dead-lettered, and nothing is connected to.
 */
@ExtendWith(EmbeddedRedisExtension.class)
class SsrfTests {

    private static final Duration LONG = Duration.ofSeconds(30);

    private final List<String> resolved = new CopyOnWriteArrayList<>();
    private volatile String address = "127.0.0.1";
    private EmbeddedRedis redis;
    private Receiver receiver;
    private CallbackInstance instance;
    private RedisClient other;
    private DelayQueueClient unchecked;

    @BeforeEach
    void start(EmbeddedRedis server) throws Exception {
        redis = server;
        receiver = new Receiver();
        other = RedisClient.create(server.uri());
        unchecked = DelayQueueClient.create(
                other,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(20))
                        .build());
    }

    @AfterEach
    void stop() {
        instance.close();
        unchecked.close();
        other.shutdown();
        receiver.close();
    }

    private void instance(String... properties) {
        instance = CallbackInstance.startWithAddresses(
                redis,
                receiver,
                host -> {
                    resolved.add(host);
                    return address;
                },
                properties);
    }

    private void schedule(String id, String url) {
        assertThat(unchecked
                        .schedule(OutgoingMessage.to("hooks")
                                .id(id)
                                .payload(new byte[] {'1'})
                                .header(CallbackMessageHeaders.URL, url)
                                .build())
                        .id())
                .isEqualTo(id);
    }

    @Test
    void urlsThatLeadInsideAreNeitherResolvedNorCalled() throws Exception {
        // this machine listens, so that a connection would be made
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.hooks.max-attempts=1",
                "delayqueue.gateway.callbacks.hosts=*",
                "delayqueue.gateway.callbacks.allowed-ranges=");
        List<String> urls = SsrfUrls.literals(receiver.port());
        for (int i = 0; i < urls.size(); i++) {
            schedule("m" + i, urls.get(i));
        }

        await().atMost(LONG).until(() -> unchecked.stats("hooks").dead() == urls.size());
        for (int i = 0; i < urls.size(); i++) {
            assertThat(unchecked.find("hooks", "m" + i).orElseThrow().error())
                    .as(urls.get(i))
                    .startsWith("no callback was sent: ")
                    .doesNotContain("127.0.0.1");
        }
        assertThat(resolved).isEmpty();
        assertThat(receiver.requests()).isEmpty();
    }

    @Test
    void aNameOfAnInnerAddressIsNotCalled() {
        instance(
                "delayqueue.callbacks.hooks.allow-message-url=true",
                "delayqueue.callbacks.hooks.max-attempts=1",
                // each is tried, although all those before failed
                "delayqueue.gateway.callbacks.flow.failures=100",
                "delayqueue.gateway.callbacks.allowed-ranges=");
        for (String inner : List.of(
                "127.0.0.1",
                "10.0.0.1",
                "169.254.169.254",
                "100.64.0.1",
                "::1",
                "fd00::1",
                "fe80::1",
                "::ffff:127.0.0.1",
                "::127.0.0.1",
                "64:ff9b::7f00:1",
                "2002:7f00:1::",
                "2001:0:7f00:1::")) {
            address = inner;
            schedule(inner, "http://inner.example:" + receiver.port() + "/");

            assertThat(await().atMost(LONG)
                            .until(
                                    () -> unchecked.find("hooks", inner),
                                    found -> found.isPresent() && found.get().state() == MessageState.DEAD)
                            .orElseThrow()
                            .error())
                    .contains("host 'inner.example' has an address to which callbacks are not sent");
        }
        assertThat(receiver.requests()).isEmpty();
    }

    /** The name server answers with a good address when it is asked first, and with an inner one ever after. */
    @Test
    void theAddressThatWasCheckedIsTheOneThatIsConnectedTo() throws Exception {
        instance("delayqueue.gateway.callbacks.allowed-ranges=127.0.0.1", "delayqueue.callbacks.hooks.max-attempts=1");
        try (ServerSocket inside = new ServerSocket(receiver.port(), 5, InetAddress.getByName("127.0.0.2"))) {
            inside.setSoTimeout(200);
            receiver.answer(request -> {
                address = "127.0.0.2";
                return new Reply(200, Map.of("Connection", "close"));
            });
            instance.schedule(OutgoingMessage.to("hooks").id("good").payload(new byte[0]));
            await().atMost(LONG).until(() -> unchecked.stats("hooks").totals().acked() == 1);
            assertThat(resolved).as("one question for one connection").containsExactly("hook.example");

            instance.schedule(OutgoingMessage.to("hooks").id("rebound").payload(new byte[0]));
            await().atMost(LONG).until(() -> unchecked.stats("hooks").dead() == 1);
            assertThat(receiver.requests()).hasSize(1);
            assertNoConnection(inside);
        }
    }

    private static void assertNoConnection(ServerSocket server) throws Exception {
        try {
            server.accept().close();
            throw new AssertionError("a connection was made to a refused address");
        } catch (SocketTimeoutException e) {
            // none came
        }
    }

    @Test
    void aRedirectLeadsNowhere() {
        instance("delayqueue.callbacks.hooks.max-attempts=1");
        receiver.answer(
                request -> new Reply(307, Map.of("Location", "http://hook.example:" + receiver.port() + "/elsewhere")));
        instance.schedule(OutgoingMessage.to("hooks").id("o1").payload(new byte[0]));

        await().atMost(LONG).until(() -> unchecked.stats("hooks").dead() == 1);
        assertThat(receiver.requests()).hasSize(1);
    }
}
