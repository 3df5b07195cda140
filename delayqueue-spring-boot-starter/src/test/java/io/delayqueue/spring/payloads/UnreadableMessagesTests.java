package io.delayqueue.spring.payloads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DeadLetter;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.TopicStats;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.PayloadConverter;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import jakarta.validation.Valid;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Type;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.messaging.handler.annotation.Header;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

/**
 * Failures between delivery and the call of the listener: only a message that can never be read is dead-lettered at once. One
 * that can't be read now, since a registry or database is away, gets its attempts.
 */
@ExtendWith(EmbeddedRedisExtension.class)
class UnreadableMessagesTests {

    /** Calls for which the registry or database is away. */
    private static final AtomicInteger AWAY = new AtomicInteger();

    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis);
        AWAY.set(0);
    }

    @Test
    void converterWhoseRegistryIsDownIsAskedAgain() {
        AWAY.set(2);
        runner.withBean(PayloadConverter.class, AsksRegistry::new)
                .withBean("listener", TakesText.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    assertThat(context.getBean(TakesText.class).received.first())
                            .isEqualTo("w");
                    await().untilAsserted(() ->
                            assertThat(stats(context).totals().retried()).isEqualTo(2));
                    assertThat(stats(context).dead()).isZero();
                });
    }

    @Test
    void converterWhoseRegistryStaysDownUsesUpAllAttempts() {
        AWAY.set(1000);
        runner.withBean(PayloadConverter.class, AsksRegistry::new)
                .withBean("listener", TakesText.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ZERO);

                    DeadLetter dead = deadLetter(context);
                    assertThat(dead.attempts()).isEqualTo(3);
                    assertThat(dead.error()).contains("registry is away");
                });
    }

    @Test
    void jsonDeserializerWhoseDatabaseIsDownIsAskedAgain() {
        AWAY.set(2);
        runner.withBean("listener", TakesLookedUp.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "{\"customer\":7}", Duration.ZERO);

            assertThat(context.getBean(TakesLookedUp.class).received.first().customer.name)
                    .isEqualTo("customer 7");
            await().untilAsserted(
                            () -> assertThat(stats(context).totals().retried()).isEqualTo(2));
        });
    }

    @Test
    void constructorThatRefusesAValueIsNotAskedAgain() {
        runner.withBean("listener", TakesPositive.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "{\"number\":-1}", Duration.ZERO);

            DeadLetter dead = deadLetter(context);
            assertThat(dead.attempts()).isOne();
            assertThat(dead.error()).contains("UnprocessableMessageException", "must be positive");
        });
    }

    @Test
    void validatorWhoseDatabaseIsDownIsAskedAgain() {
        AWAY.set(2);
        runner.withBean("listener", TakesKnown.class).run(context -> {
            context.getBean(DelayQueueOperations.class).schedule("work", "{\"name\":\"ann\"}", Duration.ZERO);

            assertThat(context.getBean(TakesKnown.class).received.first().name())
                    .isEqualTo("ann");
            await().untilAsserted(
                            () -> assertThat(stats(context).totals().retried()).isEqualTo(2));
        });
    }

    @Test
    void headerOfTheWrongTypeIsDeadLetteredAtOnce() {
        runner.withBean("listener", TakesNumberHeader.class).run(context -> {
            context.getBean(DelayQueueOperations.class)
                    .message("work", "w")
                    .header("count", "many")
                    .schedule();

            DeadLetter dead = deadLetter(context);
            assertThat(dead.attempts()).isOne();
            assertThat(dead.error()).contains("UnprocessableMessageException", "many");
        });
    }

    private static TopicStats stats(AssertableApplicationContext context) {
        return context.getBean(DelayQueueClient.class).stats("work");
    }

    private static DeadLetter deadLetter(AssertableApplicationContext context) {
        await().until(() -> stats(context).dead() == 1);
        return context.getBean(DelayQueueClient.class)
                .deadLetters("work")
                .list(0, 1)
                .get(0);
    }

    private static void ask(String what) {
        if (AWAY.getAndDecrement() > 0) {
            throw new UncheckedIOException(what + " is away", new ConnectException("refused"));
        }
    }

    static class AsksRegistry implements PayloadConverter {
        @Override
        public byte[] toBytes(Object payload) {
            return payload.toString().getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public Object fromBytes(byte[] bytes, Type type) {
            ask("registry");
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    static class TakesText {
        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            received.add(work);
        }
    }

    record LookedUp(Customer customer) {}

    @JsonDeserialize(using = CustomerLookUp.class)
    record Customer(String name) {}

    static class CustomerLookUp extends ValueDeserializer<Customer> {
        @Override
        public Customer deserialize(JsonParser parser, DeserializationContext context) {
            int number = parser.getIntValue();
            ask("database");
            return new Customer("customer " + number);
        }
    }

    static class TakesLookedUp {
        final Received<LookedUp> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(LookedUp work) {
            received.add(work);
        }
    }

    record Positive(int number) {
        Positive {
            if (number <= 0) {
                throw new IllegalArgumentException("must be positive");
            }
        }
    }

    static class TakesPositive {
        @DelayQueueListener(topic = "work")
        void on(Positive work) {}
    }

    @Constraint(validatedBy = KnownCustomer.class)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Known {
        String message() default "is not known";

        Class<?>[] groups() default {};

        Class<? extends Payload>[] payload() default {};
    }

    public static class KnownCustomer implements ConstraintValidator<Known, String> {
        @Override
        public boolean isValid(String name, ConstraintValidatorContext context) {
            ask("database");
            return true;
        }
    }

    record OfKnown(@Known String name) {}

    static class TakesKnown {
        final Received<OfKnown> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(@Valid OfKnown work) {
            received.add(work);
        }
    }

    static class TakesNumberHeader {
        @DelayQueueListener(topic = "work")
        void on(@Header("count") int count) {}
    }
}
