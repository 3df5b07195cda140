package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedRedisTests {

    @Test
    void answersAsSoonAsStarted() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            assertThat(redis.isRunning()).isTrue();
            assertThat(send(redis, "PING")).startsWith("+PONG");
            assertThat(redis.uri()).isEqualTo("redis://" + redis.host() + ":" + redis.port());
            assertThat(send(redis, "INFO server")).contains("process_id:" + redis.pid());
        }
    }

    @Test
    void manyStartedAtOnceFindPortsOfTheirOwn() {
        List<EmbeddedRedis> servers = IntStream.range(0, 8)
                .parallel()
                .mapToObj(i -> EmbeddedRedis.start())
                .toList();
        try {
            assertThat(servers).extracting(EmbeddedRedis::port).doesNotHaveDuplicates();
            assertThat(servers).allMatch(EmbeddedRedis::isRunning);
        } finally {
            servers.forEach(EmbeddedRedis::close);
        }
    }

    @Test
    void listensOnTheRequestedPort() throws IOException {
        int port = Ports.free();
        try (EmbeddedRedis redis = EmbeddedRedis.builder().port(port).start()) {
            assertThat(redis.port()).isEqualTo(port);
            assertThat(send(redis, "PING")).startsWith("+PONG");
        }
    }

    @Test
    void refusesARequestedPortThatIsTaken() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName(EmbeddedRedis.HOST))) {
            EmbeddedRedis.Builder builder = EmbeddedRedis.builder().port(other.getLocalPort());
            assertThatExceptionOfType(EmbeddedRedisException.class)
                    .isThrownBy(builder::start)
                    .withMessage("Port %d is taken by another process", other.getLocalPort());
        }
    }

    @Test
    void refusesAPortOutOfRange() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EmbeddedRedis.builder().port(0))
                .withMessageContaining("port must be from 1 to 65535");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void hasItsVariablesAlsoAfterARestart() throws IOException {
        // a title of the process would overwrite what the system knows of its variables
        try (EmbeddedRedis redis = EmbeddedRedis.builder()
                .environment("FRUIT", "apple")
                .setting("set-proc-title", "no")
                .start()) {
            assertThat(hasVariable(redis, "FRUIT=apple")).isTrue();

            redis.restart();
            assertThat(hasVariable(redis, "FRUIT=apple")).isTrue();
        }
    }

    /** No failure is to print the others, which may be secrets. */
    private static boolean hasVariable(EmbeddedRedis redis, String variable) throws IOException {
        return List.of(Files.readString(Path.of("/proc/" + redis.pid() + "/environ"))
                        .split("\0"))
                .contains(variable);
    }

    @Test
    void killedServerKeepsWhatItAnsweredWhenAppendOnly() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start()) {
            send(redis, "SET fruit apple");
            long pid = redis.pid();
            int port = redis.port();

            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> send(redis, "PING"));

            redis.restart();
            assertThat(redis.pid()).isNotEqualTo(pid);
            assertThat(redis.port()).isEqualTo(port);
            assertThat(send(redis, "GET fruit")).contains("apple");
        }
    }

    @Test
    void restartedServerForgetsByDefault() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            send(redis, "SET fruit apple");
            redis.restart();
            assertThat(send(redis, "GET fruit")).startsWith("$-1");
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void pausedServerIsSilentUntilResumed() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            redis.pause();
            assertThat(redis.isRunning()).isTrue();
            assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> send(redis, "PING"));

            redis.resume();
            assertThat(send(redis, "PING")).startsWith("+PONG");
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void pausedServerCanBeStopped() {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            redis.pause();
            redis.stop();
            assertThat(redis.isRunning()).isFalse();
            assertThatIllegalStateException().isThrownBy(redis::pause).withMessageContaining("is down");
        }
    }

    @Test
    void takesAnyDirective() throws IOException {
        EmbeddedRedis.Builder builder = EmbeddedRedis.builder()
                .setting("maxmemory", "10mb")
                .setting("client-output-buffer-limit", "normal", "1mb", "0", "0");
        try (EmbeddedRedis redis = builder.start()) {
            assertThat(send(redis, "CONFIG GET maxmemory")).contains("10485760");
            assertThat(send(redis, "CONFIG GET client-output-buffer-limit")).contains("normal 1048576 0 0");
        }
    }

    @Test
    void quotesValues() throws IOException {
        try (EmbeddedRedis redis = EmbeddedRedis.builder()
                .setting("requirepass", "two words \"quoted\" \\ #")
                .start()) {
            assertThat(send(redis, "PING")).startsWith("-NOAUTH");
            assertThat(send(redis, "AUTH \"two words \\\"quoted\\\" \\\\ #\"")).startsWith("+OK");
        }
    }

    @Test
    void reportsTheLogOfAServerThatRefusesASetting() {
        EmbeddedRedis.Builder builder = EmbeddedRedis.builder().setting("no-such-directive", "1");
        assertThatExceptionOfType(EmbeddedRedisException.class)
                .isThrownBy(builder::start)
                .withMessageContaining("ended at start with code 1")
                .withMessageContaining("no-such-directive");
    }

    @Test
    void refusesASettingWithoutNameOrValue() {
        EmbeddedRedis.Builder builder = EmbeddedRedis.builder();
        assertThatIllegalArgumentException().isThrownBy(() -> builder.setting(" ", "1"));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.setting("save"));
    }

    @Test
    void closingEndsTheServerAndDeletesItsFiles() {
        EmbeddedRedis redis = EmbeddedRedis.builder().appendOnly().start();
        assertThat(redis.directory()).isDirectory();

        redis.close();
        redis.close();
        assertThat(redis.isRunning()).isFalse();
        assertThat(redis.directory()).doesNotExist();
        assertThatIllegalStateException().isThrownBy(redis::restart).withMessageContaining("closed");
    }

    @Test
    void namesTheProblemOfAChosenExecutable(@TempDir Path directory) throws IOException {
        Path file = Files.createFile(directory.resolve("redis-server"));
        assertThatExceptionOfType(EmbeddedRedisException.class)
                .isThrownBy(
                        () -> ServerExecutable.chosen(directory.resolve("none").toString()))
                .withMessageContaining(EmbeddedRedis.SERVER_VARIABLE)
                .withMessageEndingWith("doesn't exist");
        assertThatExceptionOfType(EmbeddedRedisException.class)
                .isThrownBy(() -> ServerExecutable.chosen(directory.toString()))
                .withMessageEndingWith("is not a file");
        assertThatExceptionOfType(EmbeddedRedisException.class)
                .isThrownBy(() -> ServerExecutable.chosen(file.toString()))
                .withMessageEndingWith("is not executable");
    }

    private static String send(EmbeddedRedis redis, String command) throws IOException {
        return InlineCommand.send(redis.port(), command);
    }
}
