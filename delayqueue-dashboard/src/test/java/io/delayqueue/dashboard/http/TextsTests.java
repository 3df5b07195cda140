package io.delayqueue.dashboard.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.dashboard.read.Attention;
import io.delayqueue.spring.operator.OperationResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page has a text for each value that the server sends. */
class TextsTests {

    private final String texts = texts();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DONE")
    void outcomesOfOperations(OperationResult.Outcome outcome) {
        assertThat(object("result")).contains(outcome + ": '");
        assertThat(object("outcomes")).contains(outcome + ": '");
    }

    @Test
    void kindsOfAttention() {
        assertThat(Pattern.compile("(?m)^    (\\w+): \\(a")
                        .matcher(object("attention: {\n    overdue"))
                        .results()
                        .map(found -> found.group(1)))
                .contains("paused", "other")
                .containsAll(Arrays.stream(Attention.Kind.values())
                        .map(Attention.Kind::code)
                        .toList())
                .hasSize(Attention.Kind.values().length + 1);
    }

    /** The text from the beginning of an object to the end of its first block. */
    private String object(String name) {
        return Pattern.compile(Pattern.quote(name.contains("{") ? name : name + ": {") + ".*?\n *},", Pattern.DOTALL)
                .matcher(texts)
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElseThrow(() -> new AssertionError("no texts of " + name));
    }

    private static String texts() {
        try (InputStream file =
                TextsTests.class.getResourceAsStream("/META-INF/delayqueue/dashboard/assets/texts.js")) {
            assertThat(file).isNotNull();
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
