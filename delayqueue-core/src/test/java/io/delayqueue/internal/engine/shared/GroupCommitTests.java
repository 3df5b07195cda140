package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.internal.engine.shared.RecordingCommit.Item;
import io.delayqueue.internal.store.MessageStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class GroupCommitTests {

    private final RecordingCommit recorder = new RecordingCommit();

    @Test
    void loneItemIsSentAtOnce() {
        CompletableFuture<String> answer = recorder.submit(item("a"));

        assertThat(recorder.batches()).containsExactly("a");
        assertThat(answer).isNotDone();
        recorder.answerNext();
        assertThat(answer).isCompletedWithValue("did a");
    }

    @Test
    void itemsGatherWhileABatchIsUnderWay() {
        recorder.submit(item("a"));
        recorder.submit(item("b"));
        CompletableFuture<String> third = recorder.submit(item("c"));

        assertThat(recorder.batches()).containsExactly("a");
        recorder.answerNext();
        assertThat(recorder.batches()).containsExactly("a", "b c");
        recorder.answerNext();
        assertThat(third).isCompletedWithValue("did c");
    }

    @Test
    void itemsOfOneKeyNeverShareABatchAndKeepTheirOrder() {
        recorder.submit(item("first"));
        recorder.submitAll(List.of(
                new Item("x1", "x", 1), new Item("y1", "y", 1), new Item("x2", "x", 1), new Item("y2", "y", 1)));
        recorder.answerNext();
        recorder.answerNext();
        recorder.answerNext();

        assertThat(recorder.batches()).containsExactly("first", "x1 y1", "x2 y2");
    }

    @Test
    void batchTakesNoMoreItemsThanTheStoreDoes() {
        recorder.submit(item("first"));
        recorder.submitAll(IntStream.range(0, MessageStore.LARGEST_BATCH + 1)
                .mapToObj(i -> item("i" + i))
                .toList());
        recorder.answerNext();
        recorder.answerNext();

        assertThat(recorder.sent)
                .extracting(batch -> batch.items().size())
                .containsExactly(1, MessageStore.LARGEST_BATCH, 1);
    }

    @Test
    void batchTakesNoMoreBytesThanTheStoreLikes() {
        int half = MessageStore.LARGEST_BYTES / 2;
        recorder.submit(item("first"));
        recorder.submitAll(List.of(
                new Item("a", "a", half), new Item("b", "b", half), new Item("c", "c", 1), new Item("d", "d", 1)));
        recorder.answerNext();
        recorder.answerNext();

        assertThat(recorder.batches()).containsExactly("first", "a b", "c d");
    }

    @Test
    void itemHeavierThanABatchGoesAlone() {
        recorder.submit(item("first"));
        recorder.submitAll(List.of(new Item("huge", "huge", 2 * MessageStore.LARGEST_BYTES), item("b")));
        recorder.answerNext();
        recorder.answerNext();

        assertThat(recorder.batches()).containsExactly("first", "huge", "b");
    }

    @Test
    void itemGivenUpWhileItWaitedIsNotSent() {
        recorder.submit(item("first"));
        CompletableFuture<String> givenUp = recorder.submit(item("given up"));
        recorder.submit(item("b"));
        givenUp.cancel(false);
        recorder.answerNext();

        assertThat(recorder.batches()).containsExactly("first", "b");
    }

    @Test
    void failureIsThatOfItsBatchOnly() {
        CompletableFuture<String> failed = recorder.submit(item("a"));
        CompletableFuture<String> next = recorder.submit(item("b"));
        recorder.failNext(new IllegalStateException("lost"));
        recorder.answerNext();

        assertThatThrownBy(failed::get).hasCause(new IllegalStateException("lost"));
        assertThat(next).isCompletedWithValue("did b");
    }

    @Test
    void sendingThatThrowsFailsItsBatchOnly() {
        recorder.thrown = new IllegalStateException("thrown");
        CompletableFuture<String> failed = recorder.submit(item("a"));
        recorder.thrown = null;
        CompletableFuture<String> next = recorder.submit(item("b"));
        recorder.answerNext();

        assertThatThrownBy(failed::get).hasCause(new IllegalStateException("thrown"));
        assertThat(next).isCompletedWithValue("did b");
    }

    @Test
    void itemRefusedIsToldSoAndItsNeighboursAreDone() {
        recorder.submit(item("first"));
        CompletableFuture<String> refused = recorder.submit(item("refuse me"));
        CompletableFuture<String> neighbour = recorder.submit(item("b"));
        recorder.answerNext();
        recorder.answerNext();

        assertThatThrownBy(refused::get)
                .isInstanceOf(ExecutionException.class)
                .hasCause(new IllegalArgumentException("refused refuse me"));
        assertThat(neighbour).isCompletedWithValue("did b");
    }

    @Test
    void hundredThousandAnswersThatAreThereAtOnceDontRecurse() {
        recorder.answersAtOnce = true;
        List<Item> items = IntStream.range(0, 100_000)
                .mapToObj(i -> new Item("i" + i, "the same key", 1))
                .toList();

        List<CompletableFuture<String>> answers = recorder.submitAll(items);

        assertThat(answers).allMatch(CompletableFuture::isDone).noneMatch(CompletableFuture::isCompletedExceptionally);
        assertThat(recorder.sent).hasSize(items.size());
    }

    @Test
    void manyThreadsGetEachTheirOwnAnswerInOrder() throws Exception {
        ExecutorService store = Executors.newSingleThreadExecutor();
        recorder.answering = store;
        ExecutorService callers = Executors.newFixedThreadPool(8);
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            String key = "t" + thread;
            done.add(CompletableFuture.runAsync(() -> submitInTurn(key), callers));
        }
        for (CompletableFuture<Void> caller : done) {
            caller.get(60, TimeUnit.SECONDS);
        }
        store.shutdown();
        callers.shutdown();

        for (int thread = 0; thread < 8; thread++) {
            String key = "t" + thread;
            assertThat(recorder.sent.stream()
                            .flatMap(batch -> batch.items().stream())
                            .filter(item -> item.key().equals(key))
                            .map(Item::name))
                    .containsExactlyElementsOf(
                            IntStream.range(0, 300).mapToObj(i -> key + "-" + i).toList());
        }
    }

    private void submitInTurn(String key) {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            answers.add(recorder.submit(new Item(key + "-" + i, key, 1)));
        }
        for (int i = 0; i < 300; i++) {
            assertThat(answers.get(i).orTimeout(30, TimeUnit.SECONDS).join()).isEqualTo("did " + key + "-" + i);
        }
    }

    private static Item item(String name) {
        return Item.of(name);
    }
}
