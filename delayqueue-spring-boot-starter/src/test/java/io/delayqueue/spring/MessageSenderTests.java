package io.delayqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.CancelOutcome;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with a {@link MessageSender} of its own, here one to another key prefix. */
@ExtendWith(EmbeddedRedisExtension.class)
class MessageSenderTests {

    @Test
    void aSenderMakesTheTemplatesCallsInsteadOfTransactionAware(EmbeddedRedis redis) {
        // the first connection of a JVM is a slow one
        DelayQueueOptions options = DelayQueueOptions.builder()
                .keyPrefix("dq:own")
                .commandTimeout(Duration.ofSeconds(20))
                .build();
        try (RedisClient client = RedisClient.create(redis.uri());
                DelayQueueClient own = DelayQueueClient.create(client, options)) {
            runner(redis)
                    .withBean("sender", MessageSender.class, () -> new ImmediateSender(own))
                    .run(context -> {
                        DelayQueueOperations template = context.getBean(DelayQueueOperations.class);

                        String id = template.schedule("orders", "x", Duration.ofHours(1));
                        List<String> ids = template.scheduleAll("orders", List.of("y", "z"), Duration.ofHours(1));

                        assertThat(own.find("orders", id)).isPresent();
                        assertThat(template.find("orders", id)).isEmpty();
                        assertThat(template.cancel("orders", id)).isEqualTo(CancelOutcome.CANCELLED);
                        assertThat(template.cancelAll("orders", ids)).containsOnlyKeys(ids);
                        assertThat(own.stats("orders").totals().cancelled()).isEqualTo(3);
                    });
        }
    }

    @Test
    void twoSendersLeaveTheChoiceToTheApplication(EmbeddedRedis redis) {
        DelayQueueClient unused = null;
        runner(redis)
                .withBean("one", MessageSender.class, () -> new ImmediateSender(unused))
                .withBean("two", MessageSender.class, () -> new ImmediateSender(unused))
                .run(context -> {
                    DelayQueueOperations template = context.getBean(DelayQueueOperations.class);
                    OutgoingMessage message = template.message("orders", "x").build();

                    assertThat(template.schedule(message).id()).isEqualTo(message.id());
                    assertThat(template.find("orders", message.id())).isPresent();
                });
    }

    private static ApplicationContextRunner runner(EmbeddedRedis redis) {
        return Contexts.runner(redis).withPropertyValues("delayqueue.transaction-aware=true");
    }
}
