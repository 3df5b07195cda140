package io.delayqueue.spring.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.operator.BulkJob.State;
import io.delayqueue.spring.operator.OperatorEvent.Outcome;
import io.delayqueue.spring.operator.OperatorEvent.Step;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Redrives and purges of many messages: planned, started once, stopped, bounded. */
@ExtendWith(EmbeddedRedisExtension.class)
@Tag("slow")
class BulkOperationsTests {

    private static final String TOPIC = "work";
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Caller BOSS = new Caller("boss", EnumSet.allOf(Right.class));
    private static final Caller CLERK = new Caller("clerk", Set.of(Right.VIEW, Right.OPERATE));

    private final Queue<OperatorEvent> events = new ConcurrentLinkedQueue<>();
    private ApplicationContextRunner runner = Contexts.runner();

    @BeforeEach
    void useRedis(EmbeddedRedis redis) {
        runner = Contexts.runner(redis)
                .withBean("listener", Listener.class)
                .withBean(OperatorListener.class, () -> events::add);
    }

    @Test
    void whatDiesAfterThePlanStays() {
        run(test -> {
            test.kill(0, 600);
            BulkPlan plan = test.plan(Operation.REDRIVE, null, null);
            assertThat(plan.count()).isEqualTo(600);
            test.kill(600, 605);
            test.client.pause(TOPIC);

            BulkJob ended = test.end(test.bulk.start(BOSS, plan.token(), null));

            assertThat(ended.state()).isEqualTo(State.DONE);
            assertThat(ended.changed()).isEqualTo(600);
            assertThat(ended.planned()).isEqualTo(600);
            assertThat(ended.startedBy()).isEqualTo("boss");
            assertThat(ended.perSecond()).isPositive();
            assertThat(test.client.stats(TOPIC).dead()).isEqualTo(5);
            assertThat(test.client.stats(TOPIC).pending().total()).isEqualTo(600);
        });
    }

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
    void pendingMessagesThatArriveAfterThePlanStay() {
        run(test -> {
            Instant due = Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MICROS);
            test.client.pause("later");
            test.schedule("later", 0, 700, due);
            test.schedule("later", 700, 705, due.plusSeconds(10));
            BulkPlan plan = test.bulk.plan(BOSS, new BulkRequest(Operation.PURGE_PENDING, "later", due, null));
            assertThat(plan.count()).isEqualTo(700);
            assertThat(plan.matching()).isEqualTo(700);
            test.schedule("later", 705, 710, due.minusSeconds(10));

            assertThat(test.end(test.bulk.start(BOSS, plan.token(), null)).changed())
                    .isEqualTo(700);

            assertThat(test.client.pending("later").list(100)).hasSize(10);
        });
    }

    @Test
    void pendingMessagesThatWereReplacedSinceThePlanStay() {
        run(test -> {
            Instant due = Instant.now().plus(HOUR).truncatedTo(ChronoUnit.MICROS);
            test.schedule("later", 0, 3_000, due);
            BulkPlan plan = test.bulk.plan(BOSS, new BulkRequest(Operation.PURGE_PENDING, "later", null, null));
            assertThat(plan.count()).isEqualTo(3_000);
            List<String> replaced = List.of("m-0", "m-1234", "m-2999");
            replaced.forEach(id -> assertThat(test.client
                            .schedule(OutgoingMessage.to("later")
                                    .id(id)
                                    .payload(new byte[] {'1'})
                                    .dueAt(due)
                                    .ifExists(DuplicatePolicy.REPLACE)
                                    .build())
                            .outcome())
                    .isEqualTo(ScheduleOutcome.REPLACED));

            BulkJob ended = test.end(test.bulk.start(BOSS, plan.token(), null));

            assertThat(ended.changed()).isEqualTo(2_997);
            assertThat(test.client.pending("later").list(10))
                    .extracting(PendingMessage::id)
                    .containsExactlyInAnyOrderElementsOf(replaced);
        });
    }

    @Test
    void deadLettersThatDieAgainAfterThePlanStay() {
        run(test -> {
            test.kill(0, 20);
            String group = test.bulk.errorGroups(BOSS, TOPIC).groups().get(0).id();
            BulkPlan all = test.plan(Operation.PURGE_DEAD_LETTERS, null, null);
            BulkPlan ofGroup = test.plan(Operation.PURGE_DEAD_LETTERS, null, group);
            assertThat(ofGroup.count()).isEqualTo(20);
            assertThat(test.client.deadLetters(TOPIC).redrive(List.of("m-3", "m-4")))
                    .isEqualTo(2);
            await().until(() -> test.client.stats(TOPIC).dead() == 20);

            assertThat(test.end(test.bulk.start(BOSS, ofGroup.token(), null)).changed())
                    .isEqualTo(18);
            assertThat(test.end(test.bulk.start(BOSS, all.token(), null)).changed())
                    .isZero();

            assertThat(test.client.find(TOPIC, "m-3")).isPresent();
            assertThat(test.client.stats(TOPIC).dead()).isEqualTo(2);
        });
    }

    @Test
    void errorsAreGroupedAndOneGroupIsRedriven() {
        run(test -> {
            test.kill(0, 7);
            test.deadLetter("timeout-1", "timeout-2");
            ErrorGroups groups = test.bulk.errorGroups(BOSS, TOPIC);

            assertThat(groups.examined()).isEqualTo(9);
            assertThat(groups.groups()).extracting(ErrorGroup::count).containsExactly(7L, 2L);
            assertThat(groups.groups().get(0).error()).contains("can't read #").doesNotContain("0");
            assertThat(groups.groups().get(1).sample()).startsWith("timeout-");
            assertThat(test.bulk.errorGroups(CLERK, TOPIC).groups())
                    .as("without the right to payloads")
                    .extracting(ErrorGroup::error)
                    .containsOnlyNulls();
            BulkPlan plan = test.plan(
                    Operation.PURGE_DEAD_LETTERS, null, groups.groups().get(1).id());
            assertThat(plan.count()).isEqualTo(2);
            test.deadLetter("timeout-3");

            test.end(test.bulk.start(BOSS, plan.token(), null));

            assertThat(test.client.find(TOPIC, "timeout-1")).isEmpty();
            assertThat(test.client.find(TOPIC, "timeout-3")).isPresent();
            assertThat(test.client.stats(TOPIC).dead()).isEqualTo(8);
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
    void planExpires() {
        run(test -> {
            Instant[] now = {Instant.now()};
            BulkOperations bulk = new BulkOperations(test.client, new OperationLog(List.of()), () -> now[0]);
            BulkRequest request = new BulkRequest(Operation.REDRIVE, TOPIC, null, null);
            String token = bulk.plan(BOSS, request).token();
            now[0] = now[0].plus(BulkOperations.PLAN_LIFETIME);

            assertThatExceptionOfType(UnknownPlanException.class).isThrownBy(() -> bulk.start(BOSS, token, null));
            bulk.close();
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

    private void run(Consumer<Fixture> test) {
        runner.run(context -> test.accept(new Fixture(context)));
    }

    private static final class Fixture {

        final DelayQueueClient client;
        final BulkOperations bulk;

        Fixture(ApplicationContext context) {
            this.client = context.getBean(DelayQueueClient.class);
            this.bulk = context.getBean(DelayQueueOperator.class).bulk();
        }

        BulkPlan plan(Operation operation, @Nullable Instant until, @Nullable String group) {
            return bulk.plan(BOSS, new BulkRequest(operation, TOPIC, until, group));
        }

        BulkJob end(BulkJob job) {
            await().until(() -> bulk.job(BOSS, job.token()).orElseThrow().state() != State.RUNNING);
            return bulk.job(BOSS, job.token()).orElseThrow();
        }

        void schedule(String topic, int from, int to, Instant due) {
            client.scheduleAll(IntStream.range(from, to)
                    .mapToObj(i -> OutgoingMessage.to(topic)
                            .id("m-" + i)
                            .payload(new byte[] {'1'})
                            .dueAt(due)
                            .build())
                    .toList());
        }

        /** Has messages dead-lettered. */
        void kill(int from, int to) {
            deadLetter(IntStream.range(from, to).mapToObj(i -> "m-" + i).toArray(String[]::new));
        }

        void deadLetter(String... ids) {
            long before = client.stats(TOPIC).dead();
            for (String id : ids) {
                client.scheduleAll(List.of(OutgoingMessage.to(TOPIC)
                        .id(id)
                        .payload(id.getBytes(StandardCharsets.UTF_8))
                        .build()));
            }
            await().until(() -> client.stats(TOPIC).dead() == before + ids.length);
        }
    }

    static class Listener {
        @DelayQueueListener(topic = TOPIC, maxAttempts = "1")
        void on(String work) {
            throw new IllegalStateException(
                    work.startsWith("timeout") ? "timed out after 100 ms" : "can't read " + work.substring(2));
        }
    }
}
