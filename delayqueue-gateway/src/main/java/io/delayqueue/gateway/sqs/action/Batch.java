package io.delayqueue.gateway.sqs.action;

import io.delayqueue.gateway.security.ForbiddenException;
import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsErrors;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * The same action for each of up to 10 entries. One that fails stops no other: the answer has both lists. If the action waits on its
 * thread, there is one exception: once an entry finds the service unavailable, those behind it are not begun, or each would wait as long.
 */
public final class Batch implements SqsAction {

    private static final int MAX_ENTRIES = 10;
    private static final Pattern VALID_ID = Pattern.compile("[A-Za-z0-9_-]{1,80}");

    private final EntriesAction action;

    /** An action for the entries of a batch, each of which has an outcome of its own. */
    @FunctionalInterface
    public interface EntriesAction {

        /**
         * Does it for all entries.
         *
         * @return the outcome of each entry in turn
         */
        List<CompletableFuture<ObjectNode>> perform(SqsCall call, List<Parameters> entries);
    }

    private Batch(EntriesAction action) {
        this.action = action;
    }

    /**
     * A batch.
     *
     * @param action does it for one entry
     */
    public static Batch of(SqsAction action) {
        return new Batch((call, entries) -> oneByOne(action, false, call, entries));
    }

    /**
     * A batch.
     *
     * @param action does it for all entries together
     */
    public static Batch ofAll(EntriesAction action) {
        return new Batch((call, entries) -> together(action, call, entries));
    }

    /**
     * A batch.
     *
     * @param action does it for one entry, and waits for that on its thread
     */
    public static Batch ofWaiting(SqsAction action) {
        return new Batch((call, entries) -> oneByOne(action, true, call, entries));
    }

    @Override
    public CompletableFuture<ObjectNode> perform(SqsCall call) {
        List<Parameters> entries = call.parameters().structures("Entries");
        requireCount(entries.size());
        requireIds(entries);
        requireSize(entries);
        List<CompletableFuture<ObjectNode>> performed = action.perform(call, entries);
        List<CompletableFuture<ObjectNode>> outcomes = new ArrayList<>();
        for (int i = 0; i < entries.size(); i++) {
            outcomes.add(outcome(entries.get(i).required("Id"), performed.get(i)));
        }
        return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
                .thenApply(all -> result(outcomes));
    }

    private static List<CompletableFuture<ObjectNode>> oneByOne(
            SqsAction action, boolean waits, SqsCall call, List<Parameters> entries) {
        List<CompletableFuture<ObjectNode>> outcomes = new ArrayList<>();
        @Nullable CompletableFuture<ObjectNode> unavailable = null;
        for (Parameters entry : entries) {
            CompletableFuture<ObjectNode> performed = unavailable == null ? perform(action, call, entry) : unavailable;
            if (waits && isUnavailable(performed)) {
                unavailable = performed;
            }
            outcomes.add(performed);
        }
        return outcomes;
    }

    private static List<CompletableFuture<ObjectNode>> together(
            EntriesAction action, SqsCall call, List<Parameters> entries) {
        try {
            return action.perform(call, entries);
        } catch (ForbiddenException e) {
            throw e;
        } catch (RuntimeException e) {
            return Collections.nCopies(entries.size(), CompletableFuture.failedFuture(SqsErrors.of(e)));
        }
    }

    private static CompletableFuture<ObjectNode> perform(SqsAction action, SqsCall call, Parameters entry) {
        try {
            return action.perform(new SqsCall(call.caller(), call.topic(), entry));
        } catch (ForbiddenException e) {
            // The caller lacks the right on the queue, so no entry was done.
            throw e;
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(SqsErrors.of(e));
        }
    }

    private static boolean isUnavailable(CompletableFuture<ObjectNode> performed) {
        return performed.isCompletedExceptionally()
                && performed
                        .handle((result, failure) ->
                                failure instanceof SqsException e && e.error() == SqsError.SERVICE_UNAVAILABLE)
                        .join();
    }

    /** An entry of one of the lists: failures alone say whose fault they are. */
    private static CompletableFuture<ObjectNode> outcome(String id, CompletableFuture<ObjectNode> performed) {
        return performed.handle((result, failure) -> {
            ObjectNode outcome = JsonNodeFactory.instance.objectNode().put("Id", id);
            if (failure == null) {
                outcome.setAll(result);
                return outcome;
            }
            SqsException error = SqsErrors.of(failure);
            return outcome.put("SenderFault", error.error().isSenderFault())
                    .put("Code", error.error().queryCode())
                    .put("Message", error.getMessage());
        });
    }

    private static ObjectNode result(List<CompletableFuture<ObjectNode>> outcomes) {
        ObjectNode result = JsonNodeFactory.instance.objectNode();
        ArrayNode successful = result.putArray("Successful");
        ArrayNode failed = result.putArray("Failed");
        for (CompletableFuture<ObjectNode> future : outcomes) {
            ObjectNode outcome = future.join();
            (outcome.has("SenderFault") ? failed : successful).add(outcome);
        }
        return result;
    }

    private static void requireCount(int count) {
        if (count == 0) {
            throw new SqsException(SqsError.EMPTY_BATCH_REQUEST, "There should be at least one entry in the request.");
        }
        if (count > MAX_ENTRIES) {
            throw new SqsException(
                    SqsError.TOO_MANY_ENTRIES_IN_BATCH_REQUEST,
                    "Maximum number of entries per request are " + MAX_ENTRIES + ". You have sent " + count + ".");
        }
    }

    private static void requireIds(List<Parameters> entries) {
        Set<String> ids = new HashSet<>();
        for (Parameters entry : entries) {
            String id = entry.required("Id");
            if (!VALID_ID.matcher(id).matches()) {
                throw new SqsException(
                        SqsError.INVALID_BATCH_ENTRY_ID,
                        "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80"
                                + " letters long.");
            }
            if (!ids.add(id)) {
                throw new SqsException(SqsError.BATCH_ENTRY_IDS_NOT_DISTINCT, "Id " + id + " repeated.");
            }
        }
    }

    /** Bodies and attributes together. One message that is too large by itself makes the whole batch too long, as at SQS. */
    private static void requireSize(List<Parameters> entries) {
        long size = 0;
        for (Parameters entry : entries) {
            size += OutgoingSqsMessage.size(entry);
        }
        if (size > OutgoingSqsMessage.MAX_SIZE) {
            throw new SqsException(
                    SqsError.BATCH_REQUEST_TOO_LONG,
                    "Batch requests cannot be longer than " + OutgoingSqsMessage.MAX_SIZE + " bytes. You have sent "
                            + size + " bytes.");
        }
    }
}
