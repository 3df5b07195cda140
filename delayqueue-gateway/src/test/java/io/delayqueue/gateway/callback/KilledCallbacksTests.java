package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.callback.Receiver.Reply;
import io.delayqueue.gateway.callback.Receiver.Request;
import io.delayqueue.gateway.testsupport.GatewayProcess;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Gateways are killed in turn while their calls are answered. By what the receiver saw: each message is accepted by it while its caller
 * lives, none comes early, and one that was accepted comes again only if its caller died after it called. Its {@code webhook-id} stays.
 */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
@Timeout(300)
class KilledCallbacksTests {

    private static final int MESSAGES = 200;
    private static final int DEATHS = 4;
    private static final List<String> CALLERS = List.of("first", "second");

    /** Calls that a gateway makes before it dies, at the least. */
    private static final int CALLS_BEFORE_DEATH = 10;

    private static final long A_SECOND = 1_000_000;

    @TempDir
    private Path folder;

    private final Map<String, GatewayProcess> gateways = new HashMap<>();
    private final List<Call> calls = new ArrayList<>();
    private final List<Death> deaths = new ArrayList<>();
    private final Map<Integer, Long> earliest = new HashMap<>();
    private final Map<String, Integer> callsInThisLife = new HashMap<>();
    private final Random random = new Random(20_261_128);

    /** One more than there were: while a gateway starts again, the other one lives. Guarded by this object. */
    private int deathsAllowed;

    private Receiver receiver;
    private RedisClient lettuce;
    private DelayQueueClient client;

    /** A call that has come. Times are µs since the epoch, by the clock that Redis has, too. */
    private record Call(int number, String webhookId, String caller, long came, boolean accepted) {}

    private record Death(String caller, long at) {}

    @BeforeEach
    void start(EmbeddedRedis redis) throws Exception {
        receiver = new Receiver();
        receiver.answer(this::answer);
        lettuce = RedisClient.create(redis.uri());
        client = DelayQueueClient.create(
                lettuce,
                DelayQueueOptions.builder()
                        .commandTimeout(Duration.ofSeconds(30))
                        .build());
        for (String caller : CALLERS) {
            gateways.put(
                    caller,
                    new GatewayProcess(
                            redis,
                            folder.resolve(caller + ".log"),
                            "delayqueue.gateway.callbacks.allow-http=true",
                            "delayqueue.gateway.callbacks.ports=" + receiver.port(),
                            "delayqueue.gateway.callbacks.allowed-ranges=127.0.0.1",
                            "delayqueue.gateway.callbacks.total-timeout=10s",
                            "delayqueue.callbacks.hooks.url=http://127.0.0.1:" + receiver.port() + "/" + caller,
                            "delayqueue.callbacks.hooks.secrets=" + CallbackInstance.SECRET,
                            "delayqueue.callbacks.hooks.concurrency=4",
                            "delayqueue.callbacks.hooks.backoff.delays=100ms"));
        }
    }

    @AfterEach
    void stop() throws Exception {
        for (GatewayProcess gateway : gateways.values()) {
            gateway.close();
        }
        client.close();
        lettuce.shutdown(0, 1, TimeUnit.SECONDS);
        receiver.close();
    }

    @Test
    void eachMessageIsAcceptedWhileItsCallerLives() throws Exception {
        for (GatewayProcess gateway : gateways.values()) {
            gateway.awaitReady();
        }
        for (int i = 0; i < MESSAGES; i++) {
            schedule();
        }
        for (int death = 1; death <= DEATHS; death++) {
            int wanted = death;
            allowDeaths(wanted);
            await().atMost(Duration.ofMinutes(1)).until(() -> {
                schedule();
                return deaths().size() == wanted;
            });
            GatewayProcess gateway = gateways.get(deaths().get(death - 1).caller);
            gateway.start();
            gateway.awaitReady();
        }
        await().atMost(Duration.ofMinutes(2)).until(() -> stats().totals().acked() == earliest.size());

        TopicStats stats = stats();
        assertThat(stats.dead()).isZero();
        assertThat(stats.unaccounted()).isZero();
        check();
    }

    private TopicStats stats() {
        return client.stats("hooks");
    }

    private static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    private void schedule() {
        long delayMillis;
        int number;
        synchronized (this) {
            delayMillis = random.nextInt(5_000);
            number = earliest.size();
            earliest.put(number, micros() + delayMillis * 1_000);
        }
        assertThat(client.schedule(OutgoingMessage.to("hooks")
                                .payload(String.valueOf(number).getBytes(StandardCharsets.UTF_8))
                                .delay(Duration.ofMillis(delayMillis))
                                .build())
                        .id())
                .isNotEmpty();
    }

    /** Accepts nine of ten calls. The caller of some dies before it has the answer. */
    private Reply answer(Request request) {
        long came = micros();
        String caller = request.path().substring(1);
        boolean accepted;
        boolean dies;
        synchronized (this) {
            accepted = random.nextInt(10) > 0;
            calls.add(new Call(
                    Integer.parseInt(new String(request.body(), StandardCharsets.UTF_8)),
                    request.header("webhook-id"),
                    caller,
                    came,
                    accepted));
            dies = callsInThisLife.merge(caller, 1, Integer::sum) >= CALLS_BEFORE_DEATH
                    && deaths.size() < deathsAllowed
                    && caller.equals(CALLERS.get(deaths.size() % CALLERS.size()));
            if (dies) {
                kill(caller);
            }
        }
        return Reply.of(accepted ? 204 : 500);
    }

    private void kill(String caller) {
        try {
            gateways.get(caller).kill();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        deaths.add(new Death(caller, micros()));
        callsInThisLife.remove(caller);
    }

    private synchronized void allowDeaths(int deaths) {
        deathsAllowed = deaths;
    }

    private synchronized List<Death> deaths() {
        return List.copyOf(deaths);
    }

    private synchronized void check() {
        Map<Integer, List<Call>> byMessage = new HashMap<>();
        calls.forEach(call -> byMessage
                .computeIfAbsent(call.number, number -> new ArrayList<>())
                .add(call));
        assertThat(byMessage).hasSameSizeAs(earliest);
        long again = 0;
        for (List<Call> ofMessage : byMessage.values()) {
            Call first = ofMessage.get(0);
            assertThat(first.came).as("%s is due", first).isGreaterThanOrEqualTo(earliest.get(first.number));
            assertThat(ofMessage).extracting(Call::webhookId).containsOnly(first.webhookId);
            for (int i = 0; i < ofMessage.size() - 1; i++) {
                Call call = ofMessage.get(i);
                Call next = ofMessage.get(i + 1);
                if (call.accepted) {
                    assertThat(diedBetween(call.caller, call.came, next.came))
                            .as("%s came again as %s, deaths %s", call, next, deaths)
                            .isTrue();
                    assertThat(next.came - call.came).as("its lease").isGreaterThan(15 * A_SECOND);
                    again++;
                }
            }
            assertThat(ofMessage.get(ofMessage.size() - 1).accepted)
                    .as("the last call of %s", first)
                    .isTrue();
        }
        System.out.println("Killed callbacks: " + calls.size() + " calls, " + again + " accepted ones came again, "
                + deaths.size() + " deaths");
        assertThat(deaths).hasSize(DEATHS);
        assertThat(again).as("calls whose answer came too late").isPositive();
    }

    private boolean diedBetween(String caller, long from, long to) {
        // a call may be read after its caller's death; a new one starts later than that
        return deaths.stream()
                .anyMatch(death -> death.caller.equals(caller) && death.at >= from - A_SECOND && death.at <= to);
    }
}
