package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RetryOutcome;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** A pull consumer goes on when its connection factory was restarted, and its receipts stay good. */
@ExtendWith(EmbeddedRedisExtension.class)
class MovedPullConsumerTests {

    private static final Duration LONG = Duration.ofSeconds(20);

    @Test
    void messagesAreReceivedAndSettledAgain(EmbeddedRedis redis) {
        Contexts.runner(redis).run(context -> {
            DelayQueueOperations queue = context.getBean(DelayQueueOperations.class);
            PullConsumer pull = context.getBean(DelayQueueClient.class).pullConsumer("work", PullOptions.defaults());
            queue.schedule("work", "before", Duration.ZERO);
            Receipt before = pull.receive(1, LONG).get(0).receipt();
            LettuceConnectionFactory factory = context.getBean(LettuceConnectionFactory.class);

            factory.stop();
            factory.start();

            assertThat(pull.ack(before)).isTrue();
            for (int i = 0; i < 5; i++) {
                queue.schedule("work", "after", Duration.ZERO);
            }
            assertThat(pull.ackAsync(next(pull)).get(20, TimeUnit.SECONDS)).isTrue();
            assertThat(pull.extend(next(pull), Duration.ofMinutes(1))).isTrue();
            assertThat(pull.deadLetter(next(pull), "enough")).isTrue();
            assertThat(pull.retry(next(pull), Duration.ofHours(1), "later")).isEqualTo(RetryOutcome.RETRIED);
            Receipt last = next(pull);
            assertThat(pull.changeLease(last, Duration.ofMinutes(1))).isTrue();
            assertThat(pull.release(last)).isTrue();
            assertThat(pull.topic()).isEqualTo("work");
            assertThat(pull.isHealthy()).isTrue();
            pull.close();
            assertThatThrownBy(() -> pull.receive(1, LONG)).isInstanceOf(DelayQueueClosedException.class);
        });
    }

    private static Receipt next(PullConsumer pull) throws Exception {
        List<PulledMessage> received = pull.receiveAsync(1, LONG).get(20, TimeUnit.SECONDS);
        assertThat(received).hasSize(1);
        return received.get(0).receipt();
    }
}
