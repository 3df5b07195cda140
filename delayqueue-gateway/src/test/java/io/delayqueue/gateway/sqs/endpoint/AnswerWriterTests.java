package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.sqs.action.Delivery;
import io.delayqueue.gateway.sqs.protocol.SqsAnswer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletResponse;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The visibility timeout begins before a client can have a receipt handle: so its own changes come behind that. */
class AnswerWriterTests {

    /** Tells how many bytes of the answer the client could have when the visibility timeout began. */
    private static final class LookingDelivery implements Delivery {

        private final MockHttpServletResponse response;
        private int written = -1;

        private LookingDelivery(MockHttpServletResponse response) {
            this.response = response;
        }

        @Override
        public ObjectNode result() {
            return JsonNodeFactory.instance.objectNode();
        }

        @Override
        public void renew() {}

        @Override
        public void beginVisibility() {
            written = response.getContentAsByteArray().length;
        }

        @Override
        public void confirm() {}

        @Override
        public void release() {}
    }

    @Test
    void visibilityBeginsBeforeTheEndOfTheAnswer() throws Exception {
        AnswerWriter writer = new AnswerWriter(Duration.ofMinutes(1), Duration.ofMinutes(1));
        for (int size : new int[] {1, 65_536, 65_537, 1_000_000}) {
            MockHttpServletResponse response = new MockHttpServletResponse();
            LookingDelivery delivery = new LookingDelivery(response);
            writer.write(new SqsAnswer(200, "application/json", Map.of(), new byte[size]), response, delivery, true);
            assertThat(response.getContentAsByteArray()).hasSize(size);
            assertThat(delivery.written).as("of %s", size).isBetween(Math.max(0, size - 65_536), size - 1);
        }
    }
}
