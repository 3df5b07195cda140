package io.delayqueue.docs.listeners;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.MessageState;
import io.delayqueue.docs.listeners.Listeners.CardRefusedException;
import io.delayqueue.docs.listeners.Listeners.Charge;
import io.delayqueue.docs.listeners.Listeners.Coupon;
import io.delayqueue.docs.listeners.Listeners.Coupons;
import io.delayqueue.docs.listeners.Listeners.MailServer;
import io.delayqueue.docs.listeners.Listeners.Payments;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.test.EmbeddedRedis;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

@TestInstance(Lifecycle.PER_CLASS)
class ListenersTests {

    private static final long UNREACHABLE_ONCE = 1250;
    private static final long REFUSED = 9900;

    private final EmbeddedRedis redis = EmbeddedRedis.start();
    private ConfigurableApplicationContext application;
    private DelayQueueOperations queue;
    private Log log;

    @BeforeAll
    void start() {
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.data.redis.url=" + redis.uri(),
                        "--app.topics.coupon=coupon",
                        "--delayqueue.command-timeout=20s");
        queue = application.getBean(DelayQueueOperations.class);
        log = application.getBean(Log.class);
    }

    @AfterAll
    void stop() {
        application.close();
        redis.close();
    }

    @Test
    void argumentsAreThePayloadItsMessageAHeaderAndTheDelivery() {
        queue.message("reminder", new Reminder("Call Ann"))
                .header("tenant", "acme")
                .schedule();

        awaitCall("acme: Call Ann");
    }

    @Test
    void headerMayBeMissing() {
        queue.schedule("reminder", new Reminder("Call Bob"), Duration.ZERO);

        awaitCall("null: Call Bob");
    }

    @Test
    void listenerPutsAMessageOffWhileTheMailServerIsDown() {
        log.down = true;

        String id = queue.message("reminder", new Reminder("Call Ann"))
                .header("tenant", "acme")
                .schedule()
                .id();

        awaitState("reminder", id, MessageState.SCHEDULED);
        log.down = false;
        assertThat(queue.reschedule("reminder", id, Duration.ZERO)).hasToString("RESCHEDULED");
        awaitCall("acme: Call Ann");
    }

    @Test
    void invalidPayloadIsDeadLettered() {
        String id = queue.message("reminder", new Reminder(" "))
                .header("tenant", "acme")
                .schedule()
                .id();

        awaitState("reminder", id, MessageState.DEAD);
    }

    @Test
    void topicsComeFromPropertiesAndOneListenerConsumesTwo() {
        queue.schedule("coupon", new Coupon("SPRING"), Duration.ZERO);
        queue.schedule("coupon-legacy", new Coupon("SUMMER"), Duration.ZERO);

        awaitCall("expired SPRING");
        awaitCall("expired SUMMER");
    }

    @Test
    void failureThatIsNamedGetsAnotherAttempt() {
        queue.schedule("charge", new Charge(UNREACHABLE_ONCE), Duration.ZERO);

        awaitCall("unreachable for " + UNREACHABLE_ONCE);
        awaitCall("charged " + UNREACHABLE_ONCE);
    }

    @Test
    void failureThatDeservesNoOtherAttemptIsDeadLetteredAtOnce() {
        String id = queue.schedule("charge", new Charge(REFUSED), Duration.ZERO);

        awaitState("charge", id, MessageState.DEAD);
        assertThat(queue.find("charge", id).orElseThrow().attempt()).isEqualTo(1);
    }

    private void awaitCall(String call) {
        await().atMost(Duration.ofSeconds(20)).until(() -> log.calls.contains(call));
    }

    private void awaitState(String topic, String id, MessageState state) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> queue.find(topic, id)
                        .filter(message -> message.state() == state && message.attempt() > 0)
                        .isPresent());
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Listeners.class)
    static class Application {

        @Bean
        Log log() {
            return new Log();
        }

        @Bean
        Sizing sizing() {
            return new Sizing();
        }
    }

    static class Log implements MailServer, Coupons, Payments {

        private final List<String> calls = new CopyOnWriteArrayList<>();
        private final Set<Long> unreachableBefore = ConcurrentHashMap.newKeySet();
        private volatile boolean down;

        @Override
        public boolean isDown() {
            return down;
        }

        @Override
        public void send(@Nullable String tenant, String text) {
            calls.add(tenant + ": " + text);
        }

        @Override
        public void expire(String code) {
            calls.add("expired " + code);
        }

        @Override
        public void charge(long cents) throws IOException {
            if (cents == REFUSED) {
                throw new CardRefusedException();
            }
            if (cents == UNREACHABLE_ONCE && unreachableBefore.add(cents)) {
                calls.add("unreachable for " + cents);
                throw new IOException("the bank is unreachable");
            }
            calls.add("charged " + cents);
        }
    }

    static class Sizing {

        public int consumers() {
            return 4;
        }
    }
}
