package io.delayqueue.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;

/** Values of messages are hidden by default, and shown or replaced if the application says so. */
class EndpointValuesTests extends EndpointFixture {

    @Test
    void showsAMessageWithoutItsValues() {
        runner.run(context -> {
            deadLetter(context);

            MessageDescriptor message =
                    (MessageDescriptor) at(context.getBean(DelayQueueEndpoint.class), "work", "w-1");

            assertThat(message.state()).isEqualTo("dead");
            assertThat(message.error()).isEqualTo("******");
            assertThat(message.payload()).isEqualTo("******");
            assertThat(message.headers()).containsEntry("token", "******");
            assertThat(message.payloadSize()).isEqualTo(6);
            assertThat(json(message)).doesNotContain("secret").doesNotContain("hush");
        });
    }

    @Test
    void showsValuesIfTheyAreAlwaysShown() {
        runner.withPropertyValues("management.endpoint.delayqueue.show-values=always")
                .run(context -> {
                    DelayQueueEndpoint endpoint = context.getBean(DelayQueueEndpoint.class);
                    deadLetter(context);

                    assertThat(((TopicDescriptor) at(endpoint, "work")).deadLetters())
                            .singleElement()
                            .satisfies(dead -> assertThat(dead.error()).contains("can't read secret"));
                    assertThat((MessageDescriptor) at(endpoint, "work", "w-1")).satisfies(message -> {
                        assertThat(message.error()).contains("can't read secret");
                        assertThat(message.payload()).isEqualTo("secret");
                        assertThat(message.headers()).containsEntry("token", "hush");
                        assertThat(message.attempt()).isOne();
                        assertThat(message.deadLetteredAt()).isNotNull();
                    });
                });
    }

    @Test
    void sanitizingFunctionReplacesAValueThatIsShown() {
        runner.withPropertyValues("management.endpoint.delayqueue.show-values=always")
                .withBean(
                        SanitizingFunction.class,
                        () -> data -> data.getKey().equals("token") ? data.withValue("replaced") : data)
                .run(context -> {
                    deadLetter(context);

                    MessageDescriptor message =
                            (MessageDescriptor) at(context.getBean(DelayQueueEndpoint.class), "work", "w-1");

                    assertThat(message.headers()).containsEntry("token", "replaced");
                    assertThat(message.payload()).isEqualTo("secret");
                });
    }
}
