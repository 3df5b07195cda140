package io.delayqueue.spring.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.spring.operator.BulkJob.State;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Redrives and purges of many messages change what their plan counted, and nothing that came after it. */
class BulkPlansTests extends BulkFixture {

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
}
