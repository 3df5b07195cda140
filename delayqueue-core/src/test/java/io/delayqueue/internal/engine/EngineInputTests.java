package io.delayqueue.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.ConsumerOptions;
import io.delayqueue.DeadLetters;
import io.delayqueue.Delay;
import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.PendingMessages.Position;
import io.delayqueue.internal.store.Selection;
import io.delayqueue.testsupport.SleepyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Input that can't be right is refused before anything is sent, with what was wrong in the message. */
class EngineInputTests {

    private static final int MOST_BYTES = 100;

    private final SleepyStore store = new SleepyStore();
    private final Engine engine = new Engine(
            store,
            DelayQueueOptions.builder()
                    .maxPayload(MOST_BYTES)
                    .claimAhead(Duration.ofMillis(100))
                    .build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    /** A call on an engine. */
    interface Use {
        void of(Engine engine);
    }

    static Stream<Arguments> badUses() {
        OutgoingMessage big = message("big-one", new byte[MOST_BYTES + 1]).build();
        String longId = "ü".repeat(257);
        return Stream.of(
                bad("payload over the limit", e -> e.schedule(big), "'big-one'", "'orders'", "101 bytes", "100"),
                bad("… async", e -> e.scheduleAsync(big), "'big-one'", "101 bytes"),
                bad(
                        "… behind a good one in a batch",
                        e -> e.scheduleAll(List.of(message("good", new byte[1]).build(), big)),
                        "'big-one'",
                        "101 bytes"),
                bad("cancel, empty topic", e -> e.cancel("", "a"), "a topic needs 1 to 200 characters", "''"),
                bad("cancel, empty id", e -> e.cancel("orders", ""), "an id needs 1 to 512 bytes", "'orders'"),
                bad("cancel, long id", e -> e.cancelAsync("orders", longId), "an id needs 1 to 512 bytes", "514"),
                bad("reschedule, blank in the topic", e -> e.reschedule("a b", "a", Delay.NONE), "'a b'", "at 1"),
                bad("reschedule, long id", e -> e.reschedule("orders", longId, Delay.NONE), "514"),
                bad("find, brace in the topic", e -> e.find("a{b}", "a"), "'a{b}'", "at 1"),
                bad("find, empty id", e -> e.findAsync("orders", ""), "an id needs"),
                bad("stats, tab in a topic", e -> e.stats(List.of("orders", "a\tb")), "at 1"),
                bad("pause, long topic", e -> e.pause("t".repeat(201)), "1 to 200", "201"),
                bad("resume, empty topic", e -> e.resume(""), "1 to 200"),
                bad("dead letters, empty topic", e -> e.deadLetters(""), "1 to 200"),
                bad("dead letters, negative offset", e -> letters(e).list(-1, 5), "-1", "5"),
                bad("dead letters, empty page", e -> letters(e).list(0, 0), "1 to 512", "0"),
                bad("dead letters, large page", e -> letters(e).list(0, 513), "1 to 512", "513"),
                bad("redrive, empty id", e -> letters(e).redrive(List.of("a", "")), "an id needs", "'orders'"),
                bad("purge, long id", e -> letters(e).purge(List.of("a", longId)), "514"),
                bad("purge, negative age", e -> letters(e).purgeOlderThan(Duration.ofSeconds(-1)), "age", "PT-1S"),
                bad("pending, empty topic", e -> e.pending(""), "1 to 200"),
                bad("pending, empty page", e -> e.pending("orders").list(0), "1 to 512", "0"),
                bad("pending, large page", e -> e.pending("orders").list(513), "1 to 512", "513"),
                bad(
                        "pending, before 1970",
                        e -> e.pending("orders").list(Position.from(Instant.ofEpochSecond(-1)), 1),
                        "1969"),
                bad("pending, purge to the end", e -> e.pending("orders").purgeDueUntil(Instant.MAX), "9999"),
                bad("pending, purge, long id", e -> e.pending("orders").purge(List.of("a", longId)), "514"),
                bad("in flight, empty topic", e -> e.inFlight("", 1), "1 to 200"),
                bad("in flight, empty list", e -> e.inFlight("orders", 0), "1 to 512", "0"),
                bad("in flight, long list", e -> e.inFlight("orders", 513), "1 to 512", "513"),
                bad("delete topic, brace", e -> e.deleteTopic("a}"), "'a}'", "at 1"),
                bad("force delete topic, empty", e -> e.forceDeleteTopic(""), "1 to 200"),
                bad(
                        "subscribe, lease shorter than twice claimAhead",
                        e -> e.subscribe(
                                "orders",
                                ConsumerOptions.builder()
                                        .lease(Duration.ofMillis(199))
                                        .build(),
                                (m, d) -> {}),
                        "claimAhead",
                        "PT0.1S",
                        "lease",
                        "'orders'",
                        "PT0.199S"),
                bad("subscribe, blank topic", e -> subscribe(e, " "), "' '", "at 0"),
                bad(
                        "stop, negative grace",
                        e -> e.subscribe("orders", ConsumerOptions.defaults(), (m, d) -> {})
                                .stop(Duration.ofMillis(-1)),
                        "grace",
                        "PT-0.001S"));
    }

    @ParameterizedTest
    @MethodSource("badUses")
    void badInputIsRefusedBeforeAnythingIsSent(Use use, List<String> words) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> use.of(engine))
                .satisfies(error -> assertThat(error.getMessage()).contains(words));

        assertThat(store.calls).extracting(SleepyStore.Call::method).isSubsetOf("register", "purgeByRetention");
        assertThat(store.calls("schedule")).isEmpty();
    }

    @Test
    void largestInputIsTaken() {
        engine.schedule(message("m", new byte[MOST_BYTES]).build());
        engine.cancel("t".repeat(200), "ü".repeat(256));
        letters(engine).list(0, 512);
        engine.pending("orders").list(512);

        assertThat(store.calls)
                .extracting(SleepyStore.Call::method)
                .containsExactly("register", "purgeByRetention", "schedule", "cancel", "deadLetters", "pending");
    }

    @Test
    void askingForNothingSendsNothing() {
        assertThat(engine.scheduleAll(List.of())).isEmpty();
        assertThat(engine.stats(List.of())).isEmpty();
        assertThat(letters(engine).redrive(List.of())).isZero();
        assertThat(letters(engine).purge(List.of())).isZero();
        assertThat(engine.pending("orders").purge(List.of())).isZero();

        assertThat(store.calls).isEmpty();
    }

    @Test
    void idGivenTwiceIsSentOnce() {
        letters(engine).redrive(List.of("a", "b", "a"));

        assertThat(store.calls("redrive").get(0).argument()).isEqualTo(Selection.of(List.of("a", "b")));
    }

    static Stream<Use> uses() {
        return Stream.of(
                e -> e.schedule(message("a", new byte[0]).build()),
                e -> e.scheduleAll(List.of()),
                e -> e.cancel("orders", "a"),
                e -> e.reschedule("orders", "a", Delay.NONE),
                e -> e.find("orders", "a"),
                e -> e.stats("orders"),
                Engine::topics,
                e -> e.pause("orders"),
                e -> e.resume("orders"),
                EngineInputTests::letters,
                e -> subscribe(e, "orders"),
                Engine::inspectServers);
    }

    @ParameterizedTest
    @MethodSource("uses")
    void closedQueueSaysSoAndSendsNothing(Use use) {
        engine.close();
        engine.close();

        assertClosed(() -> use.of(engine));

        assertThat(store.calls).extracting(SleepyStore.Call::method).containsExactly("close");
    }

    private static void assertClosed(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(DelayQueueClosedException.class).hasMessageContaining("closed");
    }

    private static Arguments bad(String name, Use use, String... words) {
        return Arguments.of(Named.of(name, use), List.of(words));
    }

    private static OutgoingMessage.Builder message(String id, byte[] payload) {
        return OutgoingMessage.to("orders").id(id).payload(payload);
    }

    private static DeadLetters letters(Engine engine) {
        return engine.deadLetters("orders");
    }

    private static void subscribe(Engine engine, String topic) {
        engine.subscribe(topic, ConsumerOptions.defaults(), (message, delivery) -> {});
    }
}
