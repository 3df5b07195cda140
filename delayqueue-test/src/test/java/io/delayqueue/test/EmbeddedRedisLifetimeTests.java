package io.delayqueue.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A server ends, and its files are deleted, when its JVM is gone. */
class EmbeddedRedisLifetimeTests {

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void noServerOutlivesAKilledJvm() throws IOException {
        Child child = Child.start();
        child.jvm().destroyForcibly();
        child.assertNothingIsLeft();
    }

    @Test
    void noServerOutlivesAnEndedJvm() throws IOException {
        Child child = Child.start();
        child.jvm().getOutputStream().close();
        child.assertNothingIsLeft();
    }

    /** A JVM that starts two servers, of which it kills one, and waits for the end of its input. */
    private record Child(Process jvm, int port, Path directory, Path otherDirectory) {

        static Child start() throws IOException {
            Process jvm = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Main.class.getName())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader output =
                    new BufferedReader(new InputStreamReader(jvm.getInputStream(), StandardCharsets.UTF_8));
            Child child = new Child(
                    jvm, Integer.parseInt(output.readLine()), Path.of(output.readLine()), Path.of(output.readLine()));
            assertThat(InlineCommand.send(child.port(), "PING")).startsWith("+PONG");
            assertThat(child.directory()).exists();
            assertThat(child.otherDirectory()).exists();
            return child;
        }

        void assertNothingIsLeft() {
            await().atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
                assertThatExceptionOfType(ConnectException.class).isThrownBy(() -> InlineCommand.send(port, "PING"));
                assertThat(directory).doesNotExist();
                assertThat(otherDirectory).doesNotExist();
            });
        }
    }

    static final class Main {

        public static void main(String[] args) throws IOException {
            EmbeddedRedis redis = EmbeddedRedis.start();
            EmbeddedRedis other = EmbeddedRedis.start();
            other.kill();
            System.out.println(redis.port() + "\n" + redis.directory() + "\n" + other.directory());
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }
}
