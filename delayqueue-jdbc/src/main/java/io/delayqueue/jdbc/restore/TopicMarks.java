package io.delayqueue.jdbc.restore;

import io.delayqueue.DelayQueueException;
import io.delayqueue.PartitionMark;
import io.delayqueue.Survey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Marks of a topic's partitions, as far as their servers answer: on a Cluster, a silent one hides those of its own partitions only. All
 * are asked at once.
 */
final class TopicMarks {

    /** Calls of the client end earlier. */
    private static final long LONGEST_MINUTES = 5;

    private final Survey survey;
    private final Map<Integer, PartitionMark> marks = new TreeMap<>();
    private final List<DelayQueueException> failures = new ArrayList<>();
    private @Nullable Integer count;

    private TopicMarks(Survey survey) {
        this.survey = survey;
    }

    /**
     * Asks all partitions. One that is there beyond the number of partitions shows that Redis has forgotten that number, so it is told
     * again.
     *
     * @param known number of partitions that were known before
     * @param isPresent whether Redis has a partition as it is known
     */
    static TopicMarks ofAll(Survey survey, int known, Predicate<PartitionMark> isPresent) {
        TopicMarks asked = new TopicMarks(survey);
        asked.ask(IntStream.range(0, known).boxed().toList(), true);
        int present = asked.marks.values().stream()
                .filter(isPresent)
                .mapToInt(mark -> mark.partition() + 1)
                .max()
                .orElse(0);
        if (asked.count != null && asked.count < present) {
            asked.count = asked.answer(survey.partitions(present)).orElse(null);
        }
        return asked;
    }

    /** Asks some partitions only, and for the number of partitions. */
    static TopicMarks of(Survey survey, Collection<Integer> partitions) {
        TopicMarks asked = new TopicMarks(survey);
        asked.ask(partitions, false);
        return asked;
    }

    private void ask(Collection<Integer> partitions, boolean allOthers) {
        CompletionStage<Integer> number = survey.partitions(0);
        Map<Integer, CompletionStage<PartitionMark>> asked = new TreeMap<>();
        new TreeSet<>(partitions).forEach(partition -> asked.put(partition, survey.mark(partition)));
        count = answer(number).orElse(null);
        for (int partition = 0; allOthers && count != null && partition < count; partition++) {
            asked.computeIfAbsent(partition, survey::mark);
        }
        asked.forEach((partition, mark) -> answer(mark).ifPresent(answered -> marks.put(partition, answered)));
        if (marks.isEmpty() && !failures.isEmpty()) {
            throw failures.get(0);
        }
    }

    private <T> Optional<T> answer(CompletionStage<T> asked) {
        try {
            return Optional.of(asked.toCompletableFuture().get(LONGEST_MINUTES, TimeUnit.MINUTES));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RestoreEndedException("the restore was interrupted; it may be started again");
        } catch (TimeoutException e) {
            throw new IllegalStateException("a call of Redis hangs", e);
        } catch (ExecutionException e) {
            failures.add(failure(e.getCause()));
            return Optional.empty();
        }
    }

    private static DelayQueueException failure(@Nullable Throwable cause) {
        if (cause instanceof DelayQueueException known) {
            return known;
        }
        throw new IllegalStateException("a partition can't be looked at", cause);
    }

    /** Marks of the partitions that there are, and that answered, in their order. */
    List<PartitionMark> present() {
        return marks.values().stream().filter(mark -> !isGone(mark.partition())).toList();
    }

    /** Whether the topic has no partition of this number any more. */
    boolean isGone(int partition) {
        return count != null && partition >= count;
    }

    /** The epoch of a partition; null if it has none or does not answer. */
    @Nullable
    String epoch(int partition) {
        PartitionMark mark = marks.get(partition);
        return mark == null ? null : mark.epoch();
    }

    /** Whether messages of a partition may have ended on the server that it had when this epoch began. */
    boolean mayHaveEnded(int partition, String epoch) {
        PartitionMark mark = marks.get(partition);
        return mark == null || !epoch.equals(mark.epoch()) || mark.ended() > 0;
    }

    /**
     * The number of partitions of a topic.
     *
     * @throws DelayQueueException if Redis does not tell it
     */
    static int count(Survey survey) {
        Integer count = of(survey, List.of()).count;
        return Objects.requireNonNull(count, "count");
    }

    /** Why partitions did not answer; empty if all did. */
    List<DelayQueueException> failures() {
        return failures;
    }
}
