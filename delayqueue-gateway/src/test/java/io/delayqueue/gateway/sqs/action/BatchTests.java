package io.delayqueue.gateway.sqs.action;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

class BatchTests {

    private static final SqsException INVALID =
            new SqsException(SqsError.RECEIPT_HANDLE_IS_INVALID, "The input receipt handle is invalid.");

    private final List<String> begun = new ArrayList<>();

    /** Fails at the entry of this id. */
    private SqsAction failing(String id, SqsException failure) {
        return call -> {
            String of = call.parameters().required("Id");
            begun.add(of);
            if (of.equals(id)) {
                throw failure;
            }
            return CompletableFuture.completedFuture(JsonNodeFactory.instance.objectNode());
        };
    }

    private static ObjectNode perform(Batch batch, String... ids) throws Exception {
        ObjectNode parameters = JsonNodeFactory.instance.objectNode();
        ArrayNode entries = parameters.putArray("Entries");
        for (String id : ids) {
            entries.addObject().put("Id", id);
        }
        return batch.perform(new SqsCall(Caller.EVERYONE, "orders", new Parameters(parameters)))
                .get(1, TimeUnit.MINUTES);
    }

    private static List<String> ids(ObjectNode result, String list) {
        List<String> ids = new ArrayList<>();
        for (JsonNode entry : result.get(list)) {
            ids.add(entry.get("Id").stringValue());
        }
        return ids;
    }

    @Test
    void entryThatFailsStopsNoOther() throws Exception {
        for (Batch batch : List.of(Batch.of(failing("b", INVALID)), Batch.ofWaiting(failing("b", INVALID)))) {
            begun.clear();
            ObjectNode result = perform(batch, "a", "b", "c");
            assertThat(begun).containsExactly("a", "b", "c");
            assertThat(ids(result, "Successful")).containsExactly("a", "c");
            assertThat(ids(result, "Failed")).containsExactly("b");
        }
    }

    /** None of them waits on this thread. */
    @Test
    void eachEntryIsBegunAlsoIfOneIsUnavailable() throws Exception {
        ObjectNode result = perform(Batch.of(failing("b", SqsErrors.unavailable())), "a", "b", "c");
        assertThat(begun).containsExactly("a", "b", "c");
        assertThat(ids(result, "Failed")).containsExactly("b");
    }

    /** Each would wait for a timeout, and a thread of the container with it. */
    @Test
    void entriesBehindOneThatWaitedInVainAreNotBegun() throws Exception {
        ObjectNode result = perform(Batch.ofWaiting(failing("b", SqsErrors.unavailable())), "a", "b", "c", "d");
        assertThat(begun).containsExactly("a", "b");
        assertThat(ids(result, "Successful")).containsExactly("a");
        assertThat(ids(result, "Failed")).containsExactly("b", "c", "d");
        for (JsonNode failed : result.get("Failed")) {
            assertThat(failed.get("Code").stringValue()).isEqualTo("ServiceUnavailable");
            assertThat(failed.get("SenderFault").booleanValue()).isFalse();
        }
    }
}
