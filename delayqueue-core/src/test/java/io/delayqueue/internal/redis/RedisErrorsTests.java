package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.DelayQueueClosedException;
import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.RedisFullException;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.UnexpectedReplyException;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisErrorsTests {

    private static final EmbeddedRedis SERVER = EmbeddedRedis.start();
    private static final RedisClient CLIENT = RedisClient.create(SERVER.uri());
    private static final StatefulRedisConnection<String, String> ADMIN = CLIENT.connect();

    private final RedisCommands<String, String> admin = ADMIN.sync();
    private final RedisMessageStore store =
            RedisMessageStore.create(CLIENT, TestQueue.clientOptions().build());

    @AfterEach
    void closeStore() {
        store.close();
    }

    @AfterAll
    static void stop() {
        CLIENT.shutdown(0, 1, TimeUnit.SECONDS);
        SERVER.close();
    }

    @Test
    void onlyTheSameMessageIsASafeRepetitionOfAnUnansweredSchedule() {
        assertThat(RedisErrors.unanswered("schedule", "orders", Duration.ofSeconds(2)))
                .hasMessageContaining("repeat it only with the same OutgoingMessage or an id of your own");
        assertThat(RedisErrors.unanswered("cancel", "orders", Duration.ofSeconds(2)))
                .hasMessageContaining("repeating the same call is safe");
    }

    @Test
    void aFullServer() {
        admin.configSet("maxmemory", "1");
        try {
            assertThat(failure(RedisFullException.class)).hasMessageContaining("maxmemory");
        } finally {
            admin.configSet("maxmemory", "0");
        }
    }

    @Test
    void aReplica() {
        admin.replicaof("127.0.0.1", 1);
        try {
            assertThat(failure(RedisUnavailableException.class)).hasMessageContaining("READONLY");
        } finally {
            admin.replicaofNoOne();
        }
    }

    @Test
    void aReplicaThatMayNotAnswer() {
        admin.configSet("replica-serve-stale-data", "no");
        admin.replicaof("127.0.0.1", 1);
        try {
            assertThat(failure(RedisUnavailableException.class)).hasMessageContaining("MASTERDOWN");
        } finally {
            admin.replicaofNoOne();
            admin.configSet("replica-serve-stale-data", "yes");
        }
    }

    @Test
    void aPrimaryWithTooFewReplicas() {
        admin.configSet("min-replicas-to-write", "2");
        try {
            assertThat(failure(RedisUnavailableException.class)).hasMessageContaining("NOREPLICAS");
        } finally {
            admin.configSet("min-replicas-to-write", "0");
        }
    }

    @Test
    void aServerBusyWithAScript() {
        admin.configSet("lua-time-limit", "50");
        try (StatefulRedisConnection<String, String> other = CLIENT.connect()) {
            other.async().eval("while true do end", ScriptOutputType.STATUS);
            await().until(() -> catchThrowableOfType(RedisException.class, admin::ping) != null);
            assertThat(failure(RedisUnavailableException.class)).hasMessageContaining("BUSY");
            admin.scriptKill();
            // it ends at its next step, not at once
            await().ignoreExceptions().until(() -> admin.ping().equals("PONG"));
        }
    }

    @Test
    void aServerThatWantsAPassword() {
        admin.configSet("requirepass", "hush");
        try {
            assertThat(failure(RedisAccessDeniedException.class)).hasMessageContaining("NOAUTH");
        } finally {
            admin.configSet("requirepass", "");
        }
    }

    @Test
    void keysOfAnotherType() {
        admin.set("dq:{t:0}:meta", "mine");
        try {
            assertThat(failure(UnexpectedReplyException.class)).hasMessageContaining("WRONGTYPE");
        } finally {
            admin.del("dq:{t:0}:meta");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "LOADING Redis is loading the dataset in memory | LOADING",
                "TRYAGAIN Multiple keys request during rehashing of slot | TRYAGAIN",
                "CLUSTERDOWN The cluster is down | CLUSTERDOWN",
                "MISCONF Redis is configured to save RDB snapshots, but | MISCONF",
                "ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -READONLY You can't write | READONLY",
                "ERR Error running script (call to f_1): @user_script:9: -NOREPLICAS Not enough | NOREPLICAS"
            })
    void anErrorThatPassesIsUnavailable(String reply, String code) {
        DelayQueueException error = translate(new RedisCommandExecutionException(reply));

        assertThat(error).isInstanceOf(RedisUnavailableException.class).hasMessageContaining(code);
        assertThat(ErrorReply.code(new RedisCommandExecutionException(reply))).isEqualTo(code);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OOM command not allowed when used memory > 'maxmemory'. script: f1, on @user_script:3.",
                "ERR Error running script (call to f_1): @user_script:9: @user_script: 9: -OOM command not allowed when used"
            })
    void aFullRedisInTheWordsOfEachVersion(String reply) {
        assertThat(translate(new RedisCommandExecutionException(reply))).isInstanceOf(RedisFullException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "NOPERM this user has no permissions to run the 'evalsha' command",
                "WRONGPASS invalid username-password pair or user is disabled.",
                "ERR Error running script (call to f_1): @user_script:9: The user executing the script can't run this command or"
                        + " subcommand",
                "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: f1",
                "ERR ACL failure in script: User app has no permissions to run the 'zadd' command script: f1"
            })
    void aMissingPermissionInTheWordsOfEachVersion(String reply) {
        assertThat(translate(new RedisCommandExecutionException(reply)))
                .isInstanceOf(RedisAccessDeniedException.class)
                .hasMessageContaining("inspectServers");
    }

    @Test
    void aLoginRefusedWhenConnecting() {
        RedisConnectionException error = new RedisConnectionException(
                "Unable to connect to localhost:6379",
                new RedisCommandExecutionException("WRONGPASS invalid username-password pair"));

        assertThat(translate(new CompletionException(error)))
                .isInstanceOf(RedisAccessDeniedException.class)
                .hasMessageContaining("WRONGPASS");
        assertThat(RedisErrors.unconnected("claim", "t", Duration.ofSeconds(1), error))
                .isInstanceOf(RedisAccessDeniedException.class);
    }

    @Test
    void lostConnectionsOfAnyKind() {
        for (Throwable lost : List.of(
                new RedisException("Connection closed"),
                new RedisConnectionException("Unable to connect", new IOException("refused")),
                new IOException("Connection reset"),
                new CancellationException(),
                new TimeoutException())) {
            assertThat(translate(lost))
                    .isInstanceOf(RedisUnavailableException.class)
                    .hasMessageContaining("claim of topic 't'")
                    .hasMessageContaining("repeat")
                    .hasCause(lost);
        }
    }

    @Test
    void anythingElseIsUnexpected() {
        assertThat(translate(new RedisCommandExecutionException("STALE claim 1 came after claim 2")))
                .isInstanceOf(UnexpectedReplyException.class)
                .hasMessageContaining("STALE");
        assertThat(translate(new ClassCastException("no list"))).isInstanceOf(UnexpectedReplyException.class);
    }

    @Test
    void aTranslatedErrorStaysAsItIs() {
        DelayQueueException closed = RedisErrors.closed();

        assertThat(translate(new CompletionException(closed)))
                .isSameAs(closed)
                .isInstanceOf(DelayQueueClosedException.class);
    }

    @Test
    void argumentsOfARefusedCommandAreNotShown() {
        RedisCommandExecutionException refusal = new RedisCommandExecutionException(
                "ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'app' 'hush'");
        RedisConnectionException connecting = new RedisConnectionException("Unable to connect", refusal);
        for (Throwable translated : List.of(
                translate(refusal),
                translate(connecting),
                RedisErrors.unconnected("claim", "t", Duration.ofSeconds(1), connecting))) {
            assertThat(translated).hasMessageContaining("unknown command 'HELLO'");
            StringWriter trace = new StringWriter();
            translated.printStackTrace(new PrintWriter(trace));
            assertThat(trace.toString()).contains("claim of topic 't'").doesNotContain("hush");
        }
    }

    private static DelayQueueException translate(Throwable error) {
        DelayQueueException translated = RedisErrors.translate(error, "claim", "t");
        if (!(translated instanceof DelayQueueClosedException)) {
            assertThat(translated.topic()).isEqualTo("t");
        }
        return translated;
    }

    private <E extends DelayQueueException> E failure(Class<E> type) {
        OutgoingMessage message = OutgoingMessage.to("t").payload(new byte[1]).build();
        CompletionException error = catchThrowableOfType(
                CompletionException.class,
                () -> store.schedule(Partition.only("t"), List.of(message))
                        .orTimeout(25, TimeUnit.SECONDS)
                        .join());
        assertThat(error).hasCauseInstanceOf(type);
        E cause = type.cast(error.getCause());
        assertThat(cause.topic()).isEqualTo("t");
        assertThat(cause).hasMessageContaining("schedule of topic 't'");
        return cause;
    }
}
