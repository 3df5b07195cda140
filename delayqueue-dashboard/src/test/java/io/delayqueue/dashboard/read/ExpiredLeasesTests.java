package io.delayqueue.dashboard.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.InFlightMessages;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.TopicStats;
import io.delayqueue.TopicStats.Pending;
import io.delayqueue.TopicStats.Totals;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Messages in flight that nobody takes over. */
class ExpiredLeasesTests {

    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private final List<String> looked = new ArrayList<>();
    private Duration leaseLasts = Duration.ofSeconds(-30);
    private final ExpiredLeases leases = new ExpiredLeases(topic -> {
        looked.add(topic);
        return inFlight(NOW.plus(leaseLasts));
    });

    private static InFlightMessages inFlight(Instant leaseUntil) {
        return new InFlightMessages(
                NOW, List.of(), List.of(new InFlightMessages.Message("m", 1, "web-1:4711", NOW, leaseUntil, 0)));
    }

    private static Topics topics(long inFlight, long acked, String... names) {
        return new Topics(
                NOW,
                Arrays.stream(names).collect(Collectors.toMap(name -> name, name -> stats(name, inFlight, acked))),
                Set.of());
    }

    private static TopicStats stats(String topic, long inFlight, long acked) {
        return new TopicStats(
                topic,
                Pending.NONE,
                inFlight,
                0,
                new Totals(inFlight + acked, acked, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                NOW,
                false);
    }

    @Test
    void leaseThatEndedIsFoundWithItsInstance() {
        leases.look(topics(1, 7, "a"));

        assertThat(leases.of("a")).isEqualTo(new ExpiredLease(NOW.minusSeconds(30), "web-1:4711"));
        assertThat(leases.of("b")).isNull();
    }

    @Test
    void leaseThatLastsOrEndedJustNowIsNone() {
        for (Duration lasts : List.of(Duration.ofSeconds(20), Duration.ofSeconds(-5))) {
            leaseLasts = lasts;
            leases.look(topics(1, 7, "a"));
            assertThat(leases.of("a")).as("%s", lasts).isNull();
        }
    }

    @Test
    void itIsForgottenOnceTheTopicMovesOrIsGone() {
        leases.look(topics(1, 7, "a", "b", "c"));
        leases.look(topics(1, 8, "a"));
        assertThat(leases.of("a")).isNull();
        assertThat(leases.of("b")).isNull();

        leases.look(topics(1, 8, "a"));
        assertThat(leases.of("a")).isNotNull();
        leaseLasts = Duration.ofSeconds(20);
        leases.look(topics(1, 8, "a"));
        assertThat(leases.of("a")).isNull();
    }

    @Test
    void topicsThatMoveOrHaveNothingInFlightAreNotAsked() {
        leases.look(topics(0, 7, "a"));
        leases.look(topics(3, 8, "a"));

        assertThat(looked).isEmpty();
    }

    @Test
    void manyTopicsTakeTurns() {
        String[] many = IntStream.range(0, 2 * ExpiredLeases.MAX_LOOKS + 10)
                .mapToObj(i -> "t" + i)
                .toArray(String[]::new);

        leases.look(topics(1, 7, many));
        assertThat(looked).hasSize(ExpiredLeases.MAX_LOOKS);
        leases.look(topics(1, 7, many));
        leases.look(topics(1, 7, many));

        assertThat(looked).hasSameSizeAs(many);
        assertThat(new HashSet<>(looked)).hasSameSizeAs(many);
        leases.look(topics(1, 7, many));
        assertThat(looked.get(many.length)).isEqualTo(looked.get(0));
    }

    @Test
    void answerStaysWhileRedisIsDown() {
        List<Function<String, InFlightMessages>> answers = new ArrayList<>();
        answers.add(topic -> inFlight(NOW.minusSeconds(30)));
        answers.add(topic -> {
            throw new RedisUnavailableException("away", topic, null, null);
        });
        ExpiredLeases failing = new ExpiredLeases(topic -> answers.remove(0).apply(topic));

        failing.look(topics(1, 7, "a"));
        failing.look(topics(1, 7, "a"));

        assertThat(answers).isEmpty();
        assertThat(failing.of("a")).isNotNull();
    }
}
