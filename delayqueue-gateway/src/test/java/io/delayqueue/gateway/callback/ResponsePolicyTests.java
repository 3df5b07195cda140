package io.delayqueue.gateway.callback;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.callback.CallbackOutcome.MessageOutcome;
import io.delayqueue.gateway.callback.CallbackOutcome.TargetOutcome;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResponsePolicyTests {

    private static final Instant NOW = Instant.parse("2015-10-21T07:28:00Z");
    private static final Duration LONGEST = Duration.ofHours(1);

    private final ResponsePolicy policy = new ResponsePolicy(LONGEST);

    @ParameterizedTest
    @CsvSource({
        "200, ACK, ANSWERS",
        "201, ACK, ANSWERS",
        "204, ACK, ANSWERS",
        "299, ACK, ANSWERS",
        "301, RETRY, ANSWERS",
        "302, RETRY, ANSWERS",
        "304, RETRY, ANSWERS",
        "307, RETRY, ANSWERS",
        "400, RETRY, ANSWERS",
        "401, RETRY, ANSWERS",
        "404, RETRY, ANSWERS",
        "409, RETRY, ANSWERS",
        "410, POSTPONE, GONE",
        "429, RETRY, THROTTLED",
        "500, RETRY, FAILS",
        "501, RETRY, FAILS",
        "502, RETRY, UNAVAILABLE",
        "503, RETRY, UNAVAILABLE",
        "504, RETRY, UNAVAILABLE",
        "505, RETRY, FAILS",
        "599, RETRY, FAILS",
        "199, RETRY, ANSWERS"
    })
    void statusDecidesAboutMessageAndTarget(int status, MessageOutcome message, TargetOutcome target) {
        CallbackOutcome outcome = policy.of(status, null, null, NOW);

        assertThat(outcome.message()).isEqualTo(message);
        assertThat(outcome.target()).isEqualTo(target);
        assertThat(outcome.retryAfter()).isNull();
        assertThat(outcome.reason()).contains(String.valueOf(status));
    }

    @ParameterizedTest
    @ValueSource(ints = {302, 400, 410, 429, 500, 503})
    void aHeaderEndsTheRetries(int status) {
        CallbackOutcome outcome = policy.of(status, " No ", null, NOW);

        assertThat(outcome.message()).isEqualTo(MessageOutcome.DEAD_LETTER);
        assertThat(outcome.target())
                .isEqualTo(policy.of(status, null, null, NOW).target());
        assertThat(outcome.reason()).contains(String.valueOf(status), "no retry");
    }

    @ParameterizedTest
    @CsvSource({
        "200, SUCCESS", "299, SUCCESS", "301, REDIRECT", "308, REDIRECT", "400, CLIENT_ERROR", "404, CLIENT_ERROR",
        "410, GONE", "429, THROTTLED", "500, SERVER_ERROR", "502, THROTTLED", "503, THROTTLED", "504, THROTTLED",
        "505, SERVER_ERROR", "600, SERVER_ERROR"
    })
    void eachStatusIsCountedAsOneResult(int status, CallResult result) {
        assertThat(CallResult.of(status)).isEqualTo(result);
    }

    @Test
    void theHeaderOfASuccessMeansNothing() {
        assertThat(policy.of(200, "no", "60", NOW).message()).isEqualTo(MessageOutcome.ACK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yes", "", "nope"})
    void otherValuesOfTheHeaderMeanNothing(String value) {
        assertThat(policy.of(500, value, null, NOW).message()).isEqualTo(MessageOutcome.RETRY);
    }

    @ParameterizedTest
    @ValueSource(ints = {429, 502, 503, 504})
    void aThrottlingTargetSaysForHowLong(int status) {
        assertThat(policy.of(status, null, "120", NOW).retryAfter()).isEqualTo(Duration.ofMinutes(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {200, 301, 400, 410, 500})
    void othersDoNot(int status) {
        assertThat(policy.of(status, null, "120", NOW).retryAfter()).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "0; PT0S",
                "1; PT1S",
                " 30 ; PT30S",
                "3600; PT1H",
                "3601; PT1H",
                "99999999999999999999; PT1H",
                "000000000000000000001; PT1H",
                "Wed, 21 Oct 2015 07:28:30 GMT; PT30S",
                "Wed, 21 Oct 2015 07:27:00 GMT; PT0S",
                "Thu, 22 Oct 2015 07:28:00 GMT; PT1H",
                "Fri, 31 Dec 9999 23:59:59 GMT; PT1H"
            })
    void theDelayIsReadFromSecondsAndDatesAndIsBounded(String value, Duration delay) {
        assertThat(RetryAfter.parse(value, NOW, LONGEST)).isEqualTo(delay);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "+1",
                "1.5",
                "1e3",
                "soon",
                "0x10",
                "١٢",
                "Wed, 32 Oct 2015 07:28:30 GMT",
                "2015-10-21T07:28:00Z"
            })
    void nonsenseIsNoDelay(String value) {
        assertThat(RetryAfter.parse(value, NOW, LONGEST)).isNull();
    }

    @Test
    void aCallWithoutAResponseIsRetriedAndCountsAgainstTheTarget() {
        CallbackOutcome outcome = policy.ofFailure("the target did not answer within 15 s");

        assertThat(outcome.message()).isEqualTo(MessageOutcome.RETRY);
        assertThat(outcome.target()).isEqualTo(TargetOutcome.FAILS);
    }
}
