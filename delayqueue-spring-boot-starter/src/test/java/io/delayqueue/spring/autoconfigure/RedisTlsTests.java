package io.delayqueue.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayqueue.DelayQueueException;
import io.delayqueue.spring.DelayQueueOperations;
import io.delayqueue.spring.annotation.DelayQueueListener;
import io.delayqueue.spring.testsupport.Contexts;
import io.delayqueue.spring.testsupport.Received;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.TestSocketUtils;

/** TLS and a password with the application's own SSL bundle; no failure shows a secret. */
@Tag("slow")
@ExtendWith(OutputCaptureExtension.class)
class RedisTlsTests {

    private static final String PASSWORD = "open-sesame-7f3a";
    private static final String WRONG_PASSWORD = "shut-sesame-91bc";

    @TempDir
    static Path files;

    private static EmbeddedRedis server;
    private static int tlsPort;

    @BeforeAll
    static void startServer() throws Exception {
        certificate("server");
        certificate("stranger");
        tlsPort = TestSocketUtils.findAvailableTcpPort();
        try {
            server = EmbeddedRedis.builder()
                    .setting("tls-port", String.valueOf(tlsPort))
                    .setting("tls-cert-file", files.resolve("server.crt").toString())
                    .setting("tls-key-file", files.resolve("server.key").toString())
                    .setting("tls-ca-cert-file", files.resolve("server.crt").toString())
                    .setting("tls-auth-clients", "no")
                    .setting("requirepass", PASSWORD)
                    .start();
        } catch (EmbeddedRedisException e) {
            // a server that was built without TLS refuses the setting
            assumeTrue(!String.valueOf(e.getMessage()).contains("tls-port"), e.getMessage());
            throw e;
        }
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    /** A self-signed one for 127.0.0.1, and its key, as PEM. */
    private static void certificate(String name) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = files.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        name,
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=" + name,
                        "-ext",
                        "SAN=IP:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        "changeit",
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
        Files.writeString(
                files.resolve(name + ".crt"),
                pem("CERTIFICATE", keys.getCertificate(name).getEncoded()));
        Files.writeString(
                files.resolve(name + ".key"),
                pem("PRIVATE KEY", keys.getKey(name, "changeit".toCharArray()).getEncoded()));
    }

    private static String pem(String kind, byte[] content) {
        return "-----BEGIN " + kind + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + kind
                + "-----\n";
    }

    private static ApplicationContextRunner runner(int port, String trusted, String password) {
        return Contexts.runner(port)
                .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.password=" + password,
                        "spring.data.redis.ssl.bundle=redis",
                        "spring.data.redis.timeout=3s",
                        "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + files.resolve(trusted + ".crt"),
                        "delayqueue.command-timeout=3s");
    }

    @Test
    void messagesGoOverTls() {
        runner(tlsPort, "server", PASSWORD)
                .withPropertyValues("delayqueue.fail-fast=true", "delayqueue.command-timeout=20s")
                .withBean(Listener.class)
                .run(context -> {
                    context.getBean(DelayQueueOperations.class).schedule("work", "hello", Duration.ofMillis(5));

                    assertThat(context.getBean(Listener.class).received.first()).isEqualTo("hello");
                });
    }

    @Test
    void wrongPassword(CapturedOutput output) {
        // without fail-fast, a start that hears no answer in time does not fail
        ApplicationContextRunner patient = runner(tlsPort, "server", WRONG_PASSWORD)
                .withPropertyValues("spring.data.redis.timeout=20s", "delayqueue.command-timeout=20s");
        assertFailsTheStart(patient, "WRONGPASS", output);
    }

    @Test
    void certificateThatIsNotTrusted(CapturedOutput output) {
        assertRefused(runner(tlsPort, "stranger", PASSWORD), "unable to find valid certification path", output);
    }

    @Test
    void tlsToAPlainPort(CapturedOutput output) {
        assertRefused(
                runner(server.port(), "server", PASSWORD).withPropertyValues("spring.data.redis.timeout=1s"),
                "if the client uses TLS, does the server at that port?",
                output);
    }

    /** Where the client waits for longer than a call does, as it does by default. */
    @Test
    void tlsToAPlainPortOfAPatientClient(CapturedOutput output) {
        assertRefused(
                runner(server.port(), "server", PASSWORD)
                        .withPropertyValues("spring.data.redis.timeout=60s", "delayqueue.command-timeout=1s"),
                "only one of server and client uses TLS",
                output);
    }

    @Test
    void plainToATlsPort(CapturedOutput output) {
        assertRefused(
                Contexts.runner(tlsPort)
                        .withPropertyValues("spring.data.redis.password=" + PASSWORD, "delayqueue.command-timeout=3s"),
                "does the server want TLS at that port?",
                output);
    }

    private static void assertRefused(ApplicationContextRunner runner, String reason, CapturedOutput output) {
        runner.withBean(Listener.class).run(context -> {
            assertThat(context).hasNotFailed();
            // a machine that is busy may have the call give up before it hears why
            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                DelayQueueException refusal = catchRefusal(context.getBean(DelayQueueOperations.class));
                assertThat(text(refusal)).doesNotContain(PASSWORD).doesNotContain(WRONG_PASSWORD);
                assertThat(text(refusal)).contains(reason);
            });
        });
        assertFailsTheStart(runner.withPropertyValues("delayqueue.fail-fast=true"), reason, output);
    }

    private static void assertFailsTheStart(ApplicationContextRunner runner, String reason, CapturedOutput output) {
        List<String> failures = new ArrayList<>();
        // a start, too, may give up before it hears why
        await().atMost(Duration.ofSeconds(60)).pollInSameThread().untilAsserted(() -> {
            String failure = startFailure(runner);
            failures.add(failure);
            assertThat(failure).contains(reason);
        });
        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure)
                        .isNotEmpty()
                        .doesNotContain(PASSWORD)
                        .doesNotContain(WRONG_PASSWORD));
        assertThat(output).doesNotContain(PASSWORD).doesNotContain(WRONG_PASSWORD);
    }

    /** Empty if it started. */
    private static String startFailure(ApplicationContextRunner runner) {
        StringBuilder failed = new StringBuilder();
        runner.run(context -> {
            Throwable failure = context.getStartupFailure();
            if (failure != null) {
                failed.append(text(failure));
            }
        });
        return failed.toString();
    }

    private static DelayQueueException catchRefusal(DelayQueueOperations operations) {
        try {
            operations.schedule("work", "hello", Duration.ZERO);
        } catch (DelayQueueException e) {
            return e;
        }
        throw new AssertionError("it was not refused");
    }

    private static String text(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    static class Listener {

        final Received<String> received = new Received<>();

        @DelayQueueListener(topic = "work")
        void handle(String payload) {
            received.add(payload);
        }
    }
}
