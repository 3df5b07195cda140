package io.delayqueue.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.autoconfigure.DelayQueueObservationAutoConfiguration;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.tracing.LettuceObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.observation.LettuceObservationAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.core.StringRedisTemplate;

/** With Spring Boot's observation of Lettuce, the commands of the consumers are no root spans. */
@ExtendWith(EmbeddedRedisExtension.class)
class RedisCallsInTracesTests {

    private final RecordedCommands commands = new RecordedCommands();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        // the default user: the application has keys of its own
        runner = Contexts.runner(redis.port())
                .withConfiguration(AutoConfigurations.of(
                        ObservationAutoConfiguration.class,
                        LettuceObservationAutoConfiguration.class,
                        DelayQueueObservationAutoConfiguration.class))
                .withPropertyValues("delayqueue.guard-interval=20ms")
                .withBean(ObservationHandler.class, () -> commands)
                .withBean(Listener.class);
    }

    @Test
    void commandsOutsideAnObservationAreNotObserved() {
        runner.run(context -> {
            DelayQueueClient client = context.getBean(DelayQueueClient.class);
            context.getBean(DelayQueueOperations.class).schedule("work", "w", Duration.ofMillis(50));
            context.getBean(Listener.class).received.first();
            await().until(() -> client.stats("work").totals().acked() == 1);
            client.topics();
            client.pause("work");
            client.resume("work");

            context.getBean(StringRedisTemplate.class).opsForValue().get("dq-of-the-application");

            await().until(() -> commands.named("GET").size() == 1);
            assertThat(commands.named("GET").get(0).getParentObservation()).isNull();
            assertThat(commands.ofTheDelayQueue()).isEmpty();
            assertThat(commands.named("SUBSCRIBE")).isEmpty();
        });
    }

    @Test
    void commandInsideAnObservationIsItsChild() {
        runner.run(context -> {
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            // opens the connection, so that the next call is sent by the thread that makes it
            queue.schedule("other", "w", Duration.ofHours(1));
            Observation placing =
                    Observation.createNotStarted("place order", context.getBean(ObservationRegistry.class));

            placing.observe(() -> queue.schedule("other", "w", Duration.ofHours(1)));

            await().until(() -> !commands.ofTheDelayQueue().isEmpty());
            assertThat(commands.ofTheDelayQueue())
                    .allSatisfy(command -> assertThat(Objects.requireNonNull(command.getParentObservation())
                                    .getContextView())
                            .isSameAs(placing.getContext()));
            assertThat(commands.named("EVALSHA").size() + commands.named("EVAL").size())
                    .isPositive();
        });
    }

    static class Listener {
        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void on(String work) {
            received.add(work);
        }
    }

    /** Commands that were observed. */
    private static final class RecordedCommands implements ObservationHandler<LettuceObservationContext> {

        private final ConcurrentLinkedQueue<Map.Entry<String, LettuceObservationContext>> observed =
                new ConcurrentLinkedQueue<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof LettuceObservationContext;
        }

        @Override
        public void onStart(LettuceObservationContext context) {
            observed.add(Map.entry(context.getRequiredCommand().getType().toString(), context));
        }

        List<LettuceObservationContext> named(String command) {
            return observed.stream()
                    .filter(entry -> entry.getKey().equals(command))
                    .map(Map.Entry::getValue)
                    .toList();
        }

        /** Those with a key of its, unlike the ones that Lettuce sends when it connects. */
        List<LettuceObservationContext> ofTheDelayQueue() {
            return observed.stream()
                    .map(Map.Entry::getValue)
                    .filter(context -> firstKey(context).startsWith("dq:"))
                    .toList();
        }

        private static String firstKey(LettuceObservationContext context) {
            CommandArgs<?, ?> arguments = context.getRequiredCommand().getArgs();
            ByteBuffer key = arguments == null ? null : arguments.getFirstEncodedKey();
            return key == null ? "" : StandardCharsets.UTF_8.decode(key).toString();
        }
    }
}
