package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.delayqueue.DelayQueueClient;
import io.delayqueue.spring.testsupport.Contexts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.TestSocketUtils;

/** Properties of topics that bind to nothing, or to another topic, are warned of. No Redis is needed. */
@ExtendWith(OutputCaptureExtension.class)
class TopicPropertiesCheckTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger(TopicPropertiesCheck.class);
    private final ApplicationContextRunner runner = Contexts.runner(TestSocketUtils.findAvailableTcpPort());

    @BeforeEach
    void logWarnings() {
        logger.setLevel(Level.WARN);
    }

    @AfterEach
    void logNoWarnings() {
        logger.setLevel(null);
    }

    @Test
    void dotsWithoutBracketsSetNothing(CapturedOutput output) {
        warnsOf(output, "delayqueue.topics.orders.eu.max-pending=7", "orders.eu", "sets nothing");
    }

    @Test
    void slashesWithoutBracketsNameAnotherTopic(CapturedOutput output) {
        warnsOf(output, "delayqueue.topics.orders/eu.max-pending=7", "orders/eu", "does not apply to the topic");
    }

    @Test
    void signsWithoutBracketsNameAnotherTopic(CapturedOutput output) {
        warnsOf(output, "delayqueue.topics.orders@eu.max-pending=7", "orders@eu", "does not apply to the topic");
    }

    @Test
    void misspelledOptionSetsNothing(CapturedOutput output) {
        warnsOf(output, "delayqueue.topics.orders.max-pendings=7", "orders", "sets nothing");
    }

    @Test
    void otherNamesAndThoseInBracketsAreTheirTopics(CapturedOutput output) {
        runner.withPropertyValues(
                        "delayqueue.topics.orders.max-pending=1",
                        "delayqueue.topics.orders-eu.maxPending=2",
                        "delayqueue.topics.ordersOfAsia.max-pending=3",
                        "delayqueue.topics[orders.eu].max-pending=4",
                        "delayqueue.topics.[orders/eu].max-pending=5",
                        "delayqueue.topics.parcels_eu.max-pending=6")
                .run(context -> {
                    assertThat(maxPending(context.getBean(DelayQueueClient.class), "orders"))
                            .isEqualTo(1);
                    assertThat(maxPending(context.getBean(DelayQueueClient.class), "orders-eu"))
                            .isEqualTo(2);
                    assertThat(maxPending(context.getBean(DelayQueueClient.class), "ordersOfAsia"))
                            .isEqualTo(3);
                    assertThat(maxPending(context.getBean(DelayQueueClient.class), "orders.eu"))
                            .isEqualTo(4);
                    assertThat(maxPending(context.getBean(DelayQueueClient.class), "orders/eu"))
                            .isEqualTo(5);
                    assertThat(maxPending(context.getBean(DelayQueueClient.class), "parcels_eu"))
                            .isEqualTo(6);
                });

        assertThat(output).doesNotContain("TopicPropertiesCheck");
    }

    private void warnsOf(CapturedOutput output, String property, String topic, String warning) {
        runner.withPropertyValues(property).run(context -> {
            assertThat(maxPending(context.getBean(DelayQueueClient.class), topic))
                    .isZero();
            assertThat(output)
                    .containsOnlyOnce("Property " + property.substring(0, property.indexOf('=')) + " " + warning);
        });
    }

    private static long maxPending(DelayQueueClient client, String topic) {
        return client.options().topic(topic).maxPending();
    }
}
