package io.delayqueue.model;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.model.ModelConsumer.Kind;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.state.Action;
import net.jqwik.api.state.ActionChain;
import net.jqwik.api.state.ActionChainArbitrary;
import net.jqwik.api.state.Transformer;

/** The frequency of each step, and its random values. */
final class Steps {

    private static final Arbitrary<String> IDS = Arbitraries.of(Session.IDS);
    private static final Arbitrary<Set<String>> ID_SETS = IDS.set().ofMinSize(1).ofMaxSize(4);
    private static final Arbitrary<String> CONSUMERS = Arbitraries.of(Session.CONSUMERS);
    private static final Arbitrary<Integer> PARTITIONS = Arbitraries.integers().between(0, 2);
    private static final Arbitrary<Times> TIMES = Arbitraries.of(Times.class);
    private static final Arbitrary<Integer> SHIFTS = Arbitraries.integers().between(0, 3_000_000);
    private static final Arbitrary<Boolean> MAYBE = Arbitraries.of(true, false);
    private static final Arbitrary<Boolean> SELDOM = Arbitraries.of(true, false, false, false, false, false);

    private static final Arbitrary<List<LeasePick>> PICKS = Combinators.combine(
                    Arbitraries.integers().between(0, 8),
                    Arbitraries.of(
                            LeasePick.Right.OWN,
                            LeasePick.Right.OWN,
                            LeasePick.Right.OWN,
                            LeasePick.Right.OWN,
                            LeasePick.Right.FOREIGN,
                            LeasePick.Right.FORGED))
            .as(LeasePick::new)
            .list()
            .ofMinSize(1)
            .ofMaxSize(3);

    private Steps() {}

    static ActionChainArbitrary<TopicSession> chain(Supplier<TopicSession> start) {
        return ActionChain.startWith(start)
                .withAction(6, action(schedule()))
                .withAction(1, action(Arbitraries.integers().between(0, 5).map(ScheduleSteps.ScheduleAgain::new)))
                .withAction(2, action(messages().map(OutboxSteps.Schedule::new)))
                .withAction(1, action(ID_SETS.map(OutboxSteps.Cancel::new)))
                .withAction(
                        1,
                        action(Combinators.combine(
                                        Arbitraries.maps(IDS, TIMES)
                                                .ofMinSize(1)
                                                .ofMaxSize(4),
                                        SHIFTS)
                                .as(OutboxSteps.Reschedule::new)))
                .withAction(
                        3,
                        action(Combinators.combine(
                                        Arbitraries.integers().between(0, 6),
                                        Arbitraries.integers().between(1, 4))
                                .as(OutboxSteps.SendAgain::new)))
                .withAction(7, action(claim()))
                .withAction(3, action(Combinators.combine(CONSUMERS, PICKS).as(SettleSteps.Ack::new)))
                .withAction(
                        5,
                        action(Combinators.combine(CONSUMERS, PICKS, Arbitraries.of(SettleSteps.EndAttempt.End.class))
                                .as(SettleSteps.EndAttempt::new)))
                .withAction(
                        2, action(Combinators.combine(CONSUMERS, PICKS, MAYBE).as(SettleSteps.Extend::new)))
                .withAction(
                        3,
                        action(Combinators.combine(CONSUMERS, PICKS, MAYBE, MAYBE)
                                .as(SettleSteps.ExtendKeeping::new)))
                .withAction(2, action(PICKS.map(SettleSteps.ReleaseLeases::new)))
                .withAction(
                        3,
                        action(Combinators.combine(CONSUMERS, Arbitraries.of(Kind.class))
                                .as(SettleSteps.Repeat::new)))
                .withAction(
                        1,
                        action(Combinators.combine(CONSUMERS, Arbitraries.of(Kind.class), PICKS)
                                .as(SettleSteps.LateCall::new)))
                .withAction(2, action(ID_SETS.map(OperatorSteps.Cancel::new)))
                .withAction(
                        3, action(Combinators.combine(ID_SETS, TIMES, SHIFTS).as(OperatorSteps.Reschedule::new)))
                .withAction(1, action(ID_SETS.map(OperatorSteps.Redrive::new)))
                .withAction(1, action(MAYBE.map(OperatorSteps.RedriveAll::new)))
                .withAction(1, action(ID_SETS.map(OperatorSteps.Purge::new)))
                .withAction(1, action(MAYBE.map(OperatorSteps.PurgeOld::new)))
                .withAction(1, action(ID_SETS.map(OperatorSteps.PurgePending::new)))
                .withAction(1, action(SELDOM.map(OperatorSteps.Pause::new)))
                .withMaxTransformations(40);
    }

    private static Arbitrary<ScheduleSteps.Schedule> schedule() {
        return messages().map(ScheduleSteps.Schedule::new);
    }

    private static Arbitrary<List<MessageSpec>> messages() {
        return Combinators.combine(
                        IDS,
                        TIMES,
                        Arbitraries.of(DuplicatePolicy.class),
                        Arbitraries.of(4, 4, 4, 0, 9),
                        Arbitraries.of(1, 2, 3).injectNull(0.5),
                        Arbitraries.of(MessageSpec.TimeToLive.class),
                        SHIFTS)
                .as(MessageSpec::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(4);
    }

    private static Arbitrary<ClaimSteps.Claim> claim() {
        Arbitrary<ClaimSteps.Ahead> ahead = Combinators.combine(Arbitraries.of(0, 0, 1, 2), Arbitraries.of(0, 0, 1, 3))
                .as(ClaimSteps.Ahead::new);
        return Combinators.combine(CONSUMERS, Arbitraries.integers().between(1, 5), MAYBE, SELDOM, MAYBE, ahead)
                .as(ClaimSteps.Claim::new);
    }

    private static Action.Independent<TopicSession> action(Arbitrary<? extends Step> steps) {
        return () -> Combinators.combine(steps, PARTITIONS)
                .as((step, pick) ->
                        Transformer.mutate(step + " in partition " + pick, topic -> step.run(topic.partition(pick))));
    }
}
