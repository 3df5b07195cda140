package io.delayqueue.dashboard.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.TopicStats;
import io.delayqueue.TopicStats.Pending;
import io.delayqueue.TopicStats.Totals;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Histories of topics. */
class SamplerTests {

    private static final Instant BEGIN = Instant.parse("2026-01-01T00:00:00Z");
    private final Histories histories = new Histories();
    private final AtomicInteger samples = new AtomicInteger();

    private static Topics topics(int sample, String... names) {
        return new Topics(
                BEGIN,
                Arrays.stream(names).collect(Collectors.toMap(name -> name, name -> stats(name, sample))),
                Set.of());
    }

    private static TopicStats stats(String topic, int sample) {
        Instant time = BEGIN.plusSeconds(5L * sample);
        return new TopicStats(
                topic,
                new Pending(0, 1, BEGIN, null),
                0,
                sample,
                new Totals(1, 10L * sample, 0, 0, 0, 0, sample, 0, 0, 0, 0),
                time,
                false);
    }

    @Test
    void historyHasRatesLatenessAndNewDeadLetters() {
        for (int i = 0; i < 3; i++) {
            histories.add(topics(i, "a"));
        }

        HistoryPoints points = histories.points("a");

        assertThat(points.rate()).containsExactly(null, 2.0, 2.0);
        assertThat(points.lateness()).containsExactly(0L, 5_000L, 10_000L);
        assertThat(points.newDead()).isEqualTo(2);
        assertThat(histories.points("none")).isEqualTo(HistoryPoints.NONE);
    }

    @Test
    void historyIsBounded() {
        for (int i = 0; i < 100; i++) {
            histories.add(topics(i, "a"));
        }
        assertThat(histories.points("a").rate()).hasSize(TopicHistory.MAX_SAMPLES);

        String[] many = IntStream.range(0, Histories.MAX_TOPICS + 10)
                .mapToObj(i -> "t" + i)
                .toArray(String[]::new);
        histories.add(topics(0, many));
        assertThat(Arrays.stream(many).filter(name -> histories.points(name) != HistoryPoints.NONE))
                .hasSize(Histories.MAX_TOPICS);
    }

    @Test
    void topicThatIsGoneIsForgottenButOneThatIsMissingStays() {
        histories.add(topics(0, "a", "b"));
        histories.add(new Topics(BEGIN, Map.of(), Set.of("a")));

        assertThat(histories.points("a").lateness()).hasSize(1);
        assertThat(histories.points("b")).isEqualTo(HistoryPoints.NONE);
    }

    private Topics sample() {
        if (samples.incrementAndGet() == 1) {
            throw new StackOverflowError("deep");
        }
        return topics(samples.get(), "a");
    }

    @Test
    void samplerSurvivesAnError() {
        try (Sampler sampler = new Sampler(this::sample, histories, Duration.ofMillis(5), Duration.ofHours(1))) {
            assertThat(sampler.isRunning()).isFalse();
            sampler.look();

            await().atMost(Duration.ofSeconds(30))
                    .until(() -> histories.points("a").lateness().size() > 2);
            assertThat(sampler.isRunning()).isTrue();
        }
    }

    @Test
    void samplerEndsAndForgetsWhenNobodyLooks() {
        histories.add(topics(0, "a"));
        try (Sampler sampler = new Sampler(this::sample, histories, Duration.ofMillis(5), Duration.ofMillis(500))) {
            sampler.look();

            await().atMost(Duration.ofSeconds(30)).until(() -> !sampler.isRunning());
            assertThat(histories.points("a")).isEqualTo(HistoryPoints.NONE);

            int before = samples.get();
            // a pause may let it end again before it has sampled
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                sampler.look();
                return samples.get() > before;
            });
        }
    }
}
