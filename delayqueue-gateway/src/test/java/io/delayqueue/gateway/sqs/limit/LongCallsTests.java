package io.delayqueue.gateway.sqs.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Long calls hold no thread of those who ask for them, and only some are under way. */
class LongCallsTests {

    private static final int MAX = 4;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger ended = new AtomicInteger();
    private LongCalls<String> calls = new LongCalls<>("long-calls-test", MAX, LONG);

    @AfterEach
    void stop() {
        go.countDown();
        calls.close();
    }

    private String wait(String result) {
        try {
            assertThat(go.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended.incrementAndGet();
        return result;
    }

    private static Caller caller(String name) {
        return new Caller(name, (right, topic) -> true);
    }

    @Test
    void callBeyondTheLargestNumberIsNotBegun() throws Exception {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < MAX; i++) {
            String result = "call " + i;
            answers.add(calls.call(Caller.EVERYONE, result, () -> wait(result)));
        }
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> calls.call(Caller.EVERYONE, "further", () -> wait("further")))
                .withMessageContaining("not begun");
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        go.countDown();
        for (int i = 0; i < MAX; i++) {
            assertThat(answers.get(i).get(1, TimeUnit.MINUTES)).isEqualTo("call " + i);
        }
        assertThat(ended).hasValue(MAX);
        // an answer comes a moment before its thread is free
        await().atMost(LONG)
                .ignoreExceptions()
                .until(() -> calls.call(Caller.EVERYONE, "later", () -> "later")
                        .get(1, TimeUnit.MINUTES)
                        .equals("later"));
    }

    @Test
    void oneKeyLeavesHalfToTheOthers() {
        for (int i = 0; i < MAX / 2; i++) {
            calls.call(caller("one"), "call " + i, () -> wait(""));
        }
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> calls.call(caller("one"), "further", () -> wait("")))
                .withMessageContaining("the key one");
        assertThat(calls.call(caller("other"), "call 0", () -> wait("")).isDone())
                .isFalse();
    }

    @Test
    void lateAnswerTellsThatTheCallGoesOn() {
        calls.close();
        calls = new LongCalls<>("long-calls-test", 1, Duration.ofMillis(10));
        CompletableFuture<String> answer = calls.call(Caller.EVERYONE, "late", () -> wait("late"));
        await().atMost(LONG).until(answer::isCompletedExceptionally);
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(answer::join)
                .withCauseInstanceOf(SqsException.class)
                .withMessageContaining("still carried out");
        assertThatExceptionOfType(SqsException.class)
                .as("its thread is busy")
                .isThrownBy(() -> calls.call(Caller.EVERYONE, "next", () -> "next"));
        go.countDown();
        await().atMost(LONG).until(() -> ended.get() == 1);
    }

    @Test
    void failureOfACallIsItsAnswer() {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> calls.call(Caller.EVERYONE, "broken", () -> {
                            throw new IllegalStateException("broken");
                        })
                        .join())
                .withMessageContaining("broken");
    }

    /** Clients repeat by themselves what takes long. */
    @Test
    void repeatWaitsForTheCallUnderWay() throws Exception {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            answers.add(calls.call(caller("one"), "purge orders", () -> wait("first")));
        }
        CompletableFuture<String> other = calls.call(caller("one"), "purge others", () -> wait("other"));
        CompletableFuture<String> ofAnother = calls.call(caller("other"), "purge orders", () -> wait("of another"));
        assertThat(answers).noneMatch(CompletableFuture::isDone);
        go.countDown();
        for (CompletableFuture<String> answer : answers) {
            assertThat(answer.get(1, TimeUnit.MINUTES)).isEqualTo("first");
        }
        assertThat(other.get(1, TimeUnit.MINUTES)).isEqualTo("other");
        assertThat(ofAnother.get(1, TimeUnit.MINUTES)).isEqualTo("of another");
        assertThat(ended).hasValue(3);
        assertThat(calls.call(Caller.EVERYONE, "purge orders", () -> "again").get(1, TimeUnit.MINUTES))
                .as("after the end of the first")
                .isEqualTo("again");
    }

    @Test
    void repeatIsAnsweredInTime() {
        calls.close();
        calls = new LongCalls<>("long-calls-test", 1, Duration.ofMillis(10));
        for (int i = 0; i < 3; i++) {
            CompletableFuture<String> answer = calls.call(Caller.EVERYONE, "purge orders", () -> wait("done"));
            await().atMost(LONG).until(answer::isCompletedExceptionally);
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(answer::join)
                    .withMessageContaining("still carried out");
        }
        go.countDown();
        await().atMost(LONG).until(() -> ended.get() == 1);
    }

    /** A machine without a thread left has some later. */
    @Test
    void callThatGetsNoThreadUsesUpNoShare() throws Exception {
        calls.close();
        AtomicInteger failures = new AtomicInteger();
        calls = new LongCalls<>(MAX, LONG, task -> {
            if (failures.incrementAndGet() <= MAX) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(task, "long-calls-test");
        });
        for (int i = 0; i < MAX; i++) {
            assertThatExceptionOfType(OutOfMemoryError.class)
                    .isThrownBy(() -> calls.call(caller("one"), "purge orders", () -> "done"));
        }
        assertThat(calls.call(caller("one"), "purge orders", () -> "done").get(1, TimeUnit.MINUTES))
                .isEqualTo("done");
    }
}
