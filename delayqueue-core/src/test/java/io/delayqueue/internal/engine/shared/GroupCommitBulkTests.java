package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.internal.engine.shared.RecordingCommit.Item;
import io.delayqueue.internal.store.MessageStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bulks beside single items and other bulks, and the end of all of them. */
class GroupCommitBulkTests {

    private static final int BATCH = MessageStore.LARGEST_BATCH;

    private final RecordingCommit recorder = new RecordingCommit();

    @Test
    void singleItemIsInTheNextBatchWhateverWaitsInABulk() {
        recorder.submitAll(items("bulk", 10 * BATCH));
        recorder.submit(Item.of("single"));
        recorder.answerNext();

        assertThat(namesOf(1))
                .hasSize(BATCH)
                .startsWith("single", "bulk" + BATCH)
                .doesNotHaveDuplicates();
    }

    @Test
    void bulksTakeTurns() {
        recorder.submitAll(items("a", 3 * BATCH));
        recorder.submitAll(items("b", 2 * BATCH));
        recorder.submitAll(items("c", BATCH));
        for (int i = 0; i < 6; i++) {
            recorder.answerNext();
        }

        assertThat(IntStream.range(0, 6).mapToObj(i -> namesOf(i).get(0).substring(0, 1)))
                .containsExactly("a", "a", "b", "c", "a", "b");
    }

    @Test
    void bulksOfLargeItemsTakeTurns() {
        recorder.submitAll(largeItems("a"));
        recorder.submitAll(largeItems("b"));
        for (int i = 0; i < 4; i++) {
            recorder.answerNext();
        }

        assertThat(recorder.batches().subList(0, 5)).containsExactly("a0", "a1", "b0", "a2", "b1");
    }

    private static List<Item> largeItems(String name) {
        return IntStream.range(0, 5)
                .mapToObj(i -> new Item(name + i, name + i, MessageStore.LARGEST_BYTES))
                .toList();
    }

    @Test
    void itemsOfABulkKeepTheirOrder() {
        List<Item> bulk = items("a", 2 * BATCH);
        recorder.submitAll(bulk);
        recorder.submitAll(items("b", BATCH));
        IntStream.range(0, 300).forEach(i -> recorder.submit(Item.of("single" + i)));
        for (int i = 0; recorder.sent.size() > i; i++) {
            recorder.answerNext();
        }

        assertThat(recorder.sent.stream()
                        .flatMap(batch -> batch.items().stream())
                        .filter(item -> item.name().startsWith("a")))
                .containsExactlyElementsOf(bulk);
    }

    @Test
    void steadyStreamOfSingleItemsLeavesBulksAShare() {
        recorder.submit(Item.of("first"));
        recorder.submitAll(items("bulk", BATCH));
        items("single", 3 * BATCH).forEach(recorder::submit);
        recorder.answerNext();

        assertThat(namesOf(1)).hasSize(BATCH);
        assertThat(namesOf(1).stream().filter(name -> name.startsWith("bulk"))).hasSize(BATCH / 4);
    }

    @Test
    void singleItemsHaveTheWholeBatchIfNoBulkWaits() {
        recorder.submit(Item.of("first"));
        items("single", BATCH).forEach(recorder::submit);
        recorder.answerNext();

        assertThat(namesOf(1)).hasSize(BATCH);
    }

    @Test
    void itemOfABulkWaitsForASingleItemWithItsKey() {
        recorder.submit(Item.of("first"));
        recorder.submitAll(List.of(new Item("bulk1", "key", 1), new Item("bulk2", "other", 1)));
        recorder.submit(new Item("single", "key", 1));
        recorder.answerNext();
        recorder.answerNext();

        assertThat(recorder.batches()).containsExactly("first", "single", "bulk1 bulk2");
    }

    @Test
    void itemsThatWaitWhileBatchesFailAreGivenUp() {
        recorder.patienceNanos = 0;
        recorder.submit(Item.of("first"));
        CompletableFuture<String> single = recorder.submit(Item.of("single"));
        List<CompletableFuture<String>> bulk = recorder.submitAll(items("bulk", 2 * BATCH));
        recorder.failNext(new IllegalStateException("lost"));

        assertThatThrownBy(single::join).hasCause(new IllegalStateException("unsent single: lost"));
        assertThat(bulk).allMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(recorder.batches()).containsExactly("first");
        assertThat(recorder.isIdle()).isTrue();
        recorder.submit(Item.of("next"));
        assertThat(recorder.batches()).containsExactly("first", "next");
    }

    @Test
    void itemsThatBeganToWaitJustNowAreSentAfterAFailure() {
        recorder.submit(Item.of("first"));
        recorder.submit(Item.of("single"));
        recorder.failNext(new IllegalStateException("lost"));

        assertThat(recorder.batches()).containsExactly("first", "single");
    }

    @Test
    void closingAnswersWhatWaitsAndWhatComesLater() {
        CompletableFuture<String> underWay = recorder.submit(Item.of("under way"));
        CompletableFuture<String> single = recorder.submit(Item.of("single"));
        List<CompletableFuture<String>> bulk = recorder.submitAll(items("bulk", 3));
        recorder.close(item -> new IllegalStateException("closed before " + item.name()));

        CompletableFuture<String> late = recorder.submit(Item.of("late"));
        List<CompletableFuture<String>> lateBulk = recorder.submitAll(items("late", 2));
        recorder.answerNext();

        assertThat(underWay).isCompletedWithValue("did under way");
        assertThat(List.of(single, bulk.get(0), bulk.get(2), late, lateBulk.get(1)))
                .extracting(
                        call -> call.handle((done, error) -> unwrapped(error).getMessage())
                                .join())
                .containsExactly(
                        "closed before single",
                        "closed before bulk0",
                        "closed before bulk2",
                        "closed before late",
                        "closed before late1");
        assertThat(recorder.batches()).containsExactly("under way");
    }

    private static Throwable unwrapped(Throwable error) {
        return error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
    }

    private List<String> namesOf(int batch) {
        return recorder.sent.get(batch).items().stream().map(Item::name).toList();
    }

    private static List<Item> items(String name, int count) {
        return IntStream.range(0, count).mapToObj(i -> Item.of(name + i)).toList();
    }
}
