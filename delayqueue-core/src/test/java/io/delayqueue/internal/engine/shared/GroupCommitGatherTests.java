package io.delayqueue.internal.engine.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.internal.engine.shared.RecordingCommit.Item;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Items that may wait a moment for others, although nothing is under way. */
class GroupCommitGatherTests {

    private final RecordingCommit commit = new RecordingCommit();

    GroupCommitGatherTests() {
        commit.mayBeLater = true;
    }

    @Test
    void tooFewWaitForAMomentAndGoThen() {
        commit.enough = 3;
        commit.submitAll(List.of(Item.of("a"), Item.of("b")));
        assertThat(commit.sent).isEmpty();

        commit.later.get(0).run();

        assertThat(commit.batches()).containsExactly("a b");
    }

    @Test
    void enoughGoAtOnceAndTheMomentPassesWithoutNews() {
        commit.enough = 2;
        commit.submit(Item.of("a"));
        commit.submit(Item.of("b"));
        assertThat(commit.batches()).containsExactly("a b");

        commit.answerNext();
        commit.later.forEach(Runnable::run);

        assertThat(commit.batches()).containsExactly("a b");
    }

    @Test
    void momentThatEndsWhileABatchIsUnderWayIsNoReasonForASecondOne() {
        commit.enough = 2;
        commit.submit(Item.of("a"));
        commit.submit(Item.of("b"));
        commit.submit(Item.of("c"));
        commit.later.forEach(Runnable::run);

        assertThat(commit.batches()).containsExactly("a b");
    }

    @Test
    void oneMomentIsAskedForAtATime() {
        commit.enough = 10;
        commit.submit(Item.of("a"));
        commit.submit(Item.of("b"));
        commit.submit(Item.of("c"));

        assertThat(commit.later).hasSize(1);
    }

    @Test
    void whatCantWaitGoesAtOnce() {
        commit.enough = 10;
        commit.mayBeLater = false;
        commit.submit(Item.of("a"));

        assertThat(commit.batches()).containsExactly("a");
    }

    @Test
    void callersWhoComeBackAfterTheirAnswerGoTogetherWithThoseWhoWaited() {
        commit.submit(Item.of("a1"));
        commit.submit(Item.of("b1"));
        commit.submit(Item.of("c1"));
        commit.answerNext();
        assertThat(commit.batches()).as("a was answered and may come back").containsExactly("a1");

        commit.submit(Item.of("a2"));

        assertThat(commit.batches()).containsExactly("a1", "b1 c1 a2");
    }

    @Test
    void callerWhoDoesNotComeBackCostsAMomentOnce() {
        commit.submit(Item.of("a1"));
        commit.submit(Item.of("b1"));
        commit.answerNext();
        commit.later.get(0).run();
        commit.answerNext();

        commit.submit(Item.of("b2"));

        assertThat(commit.batches()).containsExactly("a1", "b1", "b2");
    }

    @Test
    void callerAloneAfterABatchOfSeveralWaitsAMomentOnce() {
        commit.submit(Item.of("a1"));
        commit.submit(Item.of("b1"));
        commit.submit(Item.of("c1"));
        commit.answerNext();
        commit.later.get(0).run();
        commit.answerNext();
        assertThat(commit.batches()).containsExactly("a1", "b1 c1");

        commit.submit(Item.of("a2"));
        assertThat(commit.sent).as("the last batch had two callers").hasSize(2);
        commit.later.get(1).run();
        commit.answerNext();
        commit.submit(Item.of("a3"));

        assertThat(commit.batches()).containsExactly("a1", "b1 c1", "a2", "a3");
    }

    @Test
    void callerAloneNeverWaits() {
        for (int i = 0; i < 3; i++) {
            CompletableFuture<String> answer = commit.submit(Item.of("a" + i));
            commit.answerNext();
            assertThat(answer).isCompletedWithValue("did a" + i);
        }

        assertThat(commit.later).isEmpty();
    }
}
