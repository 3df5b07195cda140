package io.delayqueue.spring.operator;

import io.delayqueue.DeadLetter;
import io.delayqueue.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The latest dead letters of a topic, by error.
 *
 * @param letters the dead letters examined, latest first: no more than their ids and groups are kept
 */
record LatestErrors(List<Letter> letters) {

    private static final int PAGE = 100;
    private static final long MAX_BYTES = 64L * 1024 * 1024;

    record Letter(String id, String common, Instant deadLettered) {}

    /** Reads them page by page. A dead letter that moves to the next page meanwhile counts once. */
    static LatestErrors of(DeadLetters dead) {
        Map<String, Letter> letters = new LinkedHashMap<>();
        long bytes = 0;
        int offset = 0;
        while (letters.size() < ErrorGroups.MAX_EXAMINED && bytes < MAX_BYTES) {
            List<DeadLetter> page = dead.list(offset, Math.min(PAGE, ErrorGroups.MAX_EXAMINED - letters.size()));
            if (page.isEmpty()) {
                break;
            }
            for (DeadLetter letter : page) {
                bytes += letter.payload().length;
                letters.putIfAbsent(
                        letter.id(), new Letter(letter.id(), ErrorTexts.common(letter), letter.deadLetteredAt()));
            }
            offset += page.size();
        }
        return new LatestErrors(List.copyOf(letters.values()));
    }

    ErrorGroups groups(boolean withErrors) {
        Map<String, List<Letter>> byError = new LinkedHashMap<>();
        letters.forEach(letter -> byError.computeIfAbsent(letter.common, error -> new ArrayList<>())
                .add(letter));
        return new ErrorGroups(
                letters.size(),
                byError.entrySet().stream()
                        .map(group -> group(withErrors ? group.getKey() : null, group.getKey(), group.getValue()))
                        .sorted(Comparator.comparingLong(ErrorGroup::count).reversed())
                        .toList());
    }

    private static ErrorGroup group(@Nullable String shown, String common, List<Letter> of) {
        Letter latest = of.get(0);
        return new ErrorGroup(ErrorTexts.groupId(common), shown, of.size(), latest.id, latest.deadLettered);
    }

    /** Those of a group that were dead until then. */
    List<String> ids(String group, Instant until) {
        return letters.stream()
                .filter(letter -> ErrorTexts.groupId(letter.common).equals(group))
                .filter(letter -> !letter.deadLettered.isAfter(until))
                .map(Letter::id)
                .toList();
    }
}
