package io.delayqueue.spring.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.spring.operator.BulkJob.State;
import io.delayqueue.spring.operator.OperatorEvent.Outcome;
import io.delayqueue.spring.operator.OperatorEvent.Step;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs of redrives and purges: started once, stopped, bounded, by callers with the right. */
class BulkJobsTests extends BulkFixture {

    @Test
    void tokenStartsOneJobHoweverOftenItIsSent() {
        run(test -> {
            test.kill(0, 3);
            String token = test.plan(Operation.PURGE_DEAD_LETTERS, null, null).token();
            test.end(test.bulk.start(BOSS, token, null));
            test.kill(3, 5);

            BulkJob again = test.bulk.start(BOSS, token, null);

            assertThat(again.state()).isEqualTo(State.DONE);
            assertThat(again.changed()).isEqualTo(3);
            assertThat(test.bulk.jobs(BOSS)).extracting(BulkJob::token).containsExactly(token);
            assertThat(test.client.stats(TOPIC).dead()).isEqualTo(2);
        });
    }

    @Test
    void stoppedJobLeavesTheRest() {
        run(test -> {
            test.kill(0, 50);
            String token = test.plan(Operation.PURGE_DEAD_LETTERS, null, null).token();

            test.bulk.start(BOSS, token, 1);
            await().until(() -> test.bulk.job(BOSS, token).orElseThrow().changed() >= 1);
            test.bulk.stop(new Caller("another", EnumSet.allOf(Right.class)), token);
            BulkJob ended = test.end(test.bulk.job(BOSS, token).orElseThrow());

            assertThat(ended.state()).isEqualTo(State.STOPPED);
            assertThat(test.client.stats(TOPIC).dead())
                    .isEqualTo(50 - ended.changed())
                    .isPositive();
            await().until(() -> events.stream().anyMatch(event -> event.step() == Step.BULK_END));
            assertThat(events)
                    .extracting(OperatorEvent::caller, OperatorEvent::step, OperatorEvent::outcome)
                    .containsExactly(
                            tuple("boss", Step.BULK_BEGIN, Outcome.DONE),
                            tuple("another", Step.BULK_END, Outcome.STOPPED));
        });
    }

    @Test
    void jobWithARateTakesItsTime() {
        run(test -> {
            test.kill(0, 12);
            long begin = System.nanoTime();

            BulkJob ended = test.end(test.bulk.start(
                    BOSS, test.plan(Operation.PURGE_DEAD_LETTERS, null, null).token(), 5));

            assertThat(ended.changed()).isEqualTo(12);
            assertThat(Duration.ofNanos(System.nanoTime() - begin))
                    .as("12 at 5 a second: steps after 0, 1 and 2 s")
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(2));
        });
    }

    @Test
    void rightsAreCheckedAtThePlanAndAtTheStart() {
        run(test -> {
            test.kill(0, 1);
            BulkRequest purge = new BulkRequest(Operation.PURGE_DEAD_LETTERS, TOPIC, null, null);

            assertThatExceptionOfType(MissingRightException.class)
                    .isThrownBy(() -> test.bulk.plan(CLERK, purge))
                    .withMessage("caller 'clerk' lacks the right PURGE to purge dead letters in topic 'work'");
            String token = test.bulk.plan(BOSS, purge).token();
            assertThatExceptionOfType(MissingRightException.class)
                    .isThrownBy(() -> test.bulk.start(CLERK, token, null));
            assertThat(test.client.stats(TOPIC).dead()).isOne();
            assertThat(events).extracting(OperatorEvent::outcome).containsExactly(Outcome.DENIED, Outcome.DENIED);
        });
    }

    @Test
    void jobsPlansAndTokensAreBounded() {
        run(test -> {
            test.kill(0, 100);
            List<String> running = new ArrayList<>();
            for (int i = 0; i < BulkOperations.MAX_RUNNING; i++) {
                running.add(test.plan(Operation.REDRIVE, null, null).token());
                test.bulk.start(BOSS, running.get(i), 1);
            }
            String further = test.plan(Operation.REDRIVE, null, null).token();

            assertThatExceptionOfType(TooManyJobsException.class).isThrownBy(() -> test.bulk.start(BOSS, further, 1));
            running.forEach(token -> test.bulk.stop(BOSS, token));
            running.forEach(token -> test.end(test.bulk.job(BOSS, token).orElseThrow()));
            assertThat(test.end(test.bulk.start(BOSS, further, null)).state())
                    .as("the plan stayed")
                    .isEqualTo(State.DONE);

            String oldest = test.plan(Operation.REDRIVE, null, null).token();
            IntStream.range(0, BulkOperations.MAX_PLANS).forEach(i -> test.plan(Operation.REDRIVE, null, null));
            assertThatExceptionOfType(UnknownPlanException.class)
                    .isThrownBy(() -> test.bulk.start(BOSS, oldest, null))
                    .withMessageContaining("plan again");
        });
    }

    @Test
    void endOfTheApplicationStopsItsJobs() {
        List<BulkOperations> ended = new ArrayList<>();
        String[] token = new String[1];
        run(test -> {
            test.kill(0, 20);
            token[0] = test.plan(Operation.PURGE_DEAD_LETTERS, null, null).token();
            test.bulk.start(BOSS, token[0], 1);
            ended.add(test.bulk);
        });

        assertThat(ended.get(0).job(BOSS, token[0]).orElseThrow().state()).isEqualTo(State.STOPPED);
    }
}
