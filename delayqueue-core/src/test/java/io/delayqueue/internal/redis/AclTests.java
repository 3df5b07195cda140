package io.delayqueue.internal.redis;

import static io.delayqueue.ScheduleOutcome.SCHEDULED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.RedisAccessDeniedException;
import io.delayqueue.ServerReport;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Users with fewer permissions than the library needs. */
class AclTests extends ScriptTests {

    private static final String ALL = "+@all";

    private RedisMessageStore app =
            RedisMessageStore.create(RedisServer.client(), options().build());
    private RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", RedisServer.port()));

    @AfterEach
    void removeUser() {
        app.close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        redis.aclDeluser("app");
    }

    @Test
    void aUserConfinedToThePrefixLacksNothing() {
        app = storeOf("~" + prefix + "*", "&" + prefix + "*", ALL);
        ServerReport report = get(app.inspect()).get(0);

        assertThat(report.missingPermissions()).isEmpty();
        assertThat(report.isSupported()).isTrue();
        assertThat(report.mayEvict()).isFalse();
        assertThat(report.evictionPolicy()).isEqualTo("noeviction");
        assertThat(report.memoryLimit()).isZero();
        assertThat(report.clockOffset().abs()).isLessThanOrEqualTo(Duration.ofMillis(1));
        assertThat(report.product()).isIn("redis", "valkey");
        assertThat(redis.keys(prefix + "*")).isEmpty();
    }

    @Test
    void aDeniedChannelCostsNothingButTheWakeUp() throws Exception {
        app = storeOf("~*", ALL);
        BlockingQueue<Long> wakeUps = new LinkedBlockingQueue<>();
        try (AutoCloseable listening = app.listen(PARTITION, wakeUps::add)) {
            assertThat(get(app.schedule(PARTITION, List.of(message("a").build())))
                            .outcomes())
                    .containsExactly(SCHEDULED);
            get(app.setPaused(PARTITION, true));
            get(app.setPaused(PARTITION, false));
            assertThat(get(app.claim(PARTITION, request(1))).claimed()).hasSize(1);
            assertThat(get(app.inspect()).get(0).missingPermissions())
                    .containsExactlyInAnyOrder("publish " + prefix + ":*", "subscribe " + prefix + ":*");
            assertThat(wakeUps).isEmpty();
            assertThat(listening).isNotNull();
        }
        assertThat(raw.counters()).isEqualTo(Map.of("accepted", "1"));
    }

    @Test
    void missingCommandsAreNamed() {
        app = storeOf("~*", "&*", ALL, "-zadd", "-zmscore", "-hdel", "-time", "-smembers", "-info", "-config");
        ServerReport report = get(app.inspect()).get(0);

        assertThat(report.missingPermissions())
                .contains("zadd", "zmscore", "hdel", "time", "smembers")
                .doesNotContain("zrem", "hset", "info", "publish " + prefix + ":*");
        assertThat(report.version()).isEqualTo(version());
        assertThat(report.evictionPolicy()).isEmpty();
        redis.del(prefix + ":{ probe:0}:meta");
    }

    @Test
    void aUserWithoutScriptsLacksThemInTheReport() {
        app = storeOf("~*", "&*", ALL, "-@scripting");

        assertThat(get(app.inspect()).get(0).missingPermissions()).containsExactly("evalsha, eval");
        assertThatThrownBy(
                        () -> get(app.schedule(PARTITION, List.of(message("a").build()))))
                .hasCauseInstanceOf(RedisAccessDeniedException.class)
                .hasMessageContaining("evalsha")
                .hasMessageContaining(TOPIC);
    }

    @Test
    void aCommandDeniedInAScriptIsAnAccessDenied() {
        app = storeOf("~*", "&*", ALL, "-hmget");

        assertThatThrownBy(
                        () -> get(app.schedule(PARTITION, List.of(message("a").build()))))
                .hasCauseInstanceOf(RedisAccessDeniedException.class);
        assertThat(raw.present()).isEmpty();
    }

    @Test
    void aKeyDeniedIsAnAccessDenied() {
        app = storeOf("~elsewhere*", "&*", ALL);

        assertThatThrownBy(() -> get(app.register(TOPIC)))
                .hasCauseInstanceOf(RedisAccessDeniedException.class)
                .hasMessageContaining(TOPIC);
        assertThatThrownBy(
                        () -> get(app.schedule(PARTITION, List.of(message("a").build()))))
                .hasCauseInstanceOf(RedisAccessDeniedException.class);
    }

    @Test
    void aWrongPasswordIsAnAccessDeniedThatDoesNotShowIt() {
        storeOf("~*", "&*", ALL);
        app = login("not-the-secret");

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> get(app.find(PARTITION, "a")))
                    .hasCauseInstanceOf(RedisAccessDeniedException.class)
                    .hasMessageContaining("WRONGPASS")
                    .satisfies(e -> assertThat(e.getCause().getMessage()).doesNotContain("secret"));
        }
        assertThatThrownBy(() -> get(app.inspect())).hasCauseInstanceOf(RedisAccessDeniedException.class);
    }

    private RedisMessageStore storeOf(String... permissions) {
        acl("SETUSER", "app", "reset", "on", ">secret", "resetchannels");
        for (String permission : permissions) {
            acl("SETUSER", "app", permission);
        }
        return login("secret");
    }

    private RedisMessageStore login(String password) {
        app.close();
        client.shutdown(0, 1, TimeUnit.SECONDS);
        RedisURI uri = RedisURI.builder()
                .withHost("127.0.0.1")
                .withPort(RedisServer.port())
                .withAuthentication("app", password)
                .build();
        client = RedisClient.create(uri);
        return RedisMessageStore.create(client, options().build());
    }

    private String version() {
        String info = redis.info("server");
        String field = info.contains("valkey_version:") ? "valkey_version:" : "redis_version:";
        return info.lines()
                .filter(line -> line.startsWith(field))
                .map(line -> line.substring(field.length()).trim())
                .findFirst()
                .orElseThrow();
    }

    private void acl(String... arguments) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            args.add(argument);
        }
        redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }
}
