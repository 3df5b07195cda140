package io.delayqueue.gateway.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class TokenFileTests {

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void file() {
        file = directory.resolve("tokens.yaml");
    }

    private void write(String name, String token) throws Exception {
        String sha256 = HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
        Files.writeString(file, """
                tokens:
                  %s:
                    sha256: "%s"
                    rights: [produce, consume]
                    topics: ["orders", "mail-*"]
                """.formatted(name, sha256));
    }

    private static @Nullable Caller caller(Callers callers, String token) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("Authorization", "Bearer " + token);
        return callers.of(request);
    }

    @Test
    void tokensAreRead() throws Exception {
        write("shop", "t1");
        Caller caller = caller(new TokenFile(file, Duration.ZERO), "t1");

        assertThat(caller).isNotNull();
        assertThat(caller.name()).isEqualTo("shop");
        assertThat(caller.may(Right.PRODUCE, "mail-out")).isTrue();
        assertThat(caller.may(Right.CONSUME, "orders")).isTrue();
        assertThat(caller.may(Right.OPERATE, "orders")).isFalse();
        assertThat(caller.may(Right.PRODUCE, "orders2")).isFalse();
    }

    @Test
    void changedFileIsReadAgain() throws Exception {
        write("shop", "t1");
        TokenFile tokens = new TokenFile(file, Duration.ZERO);
        write("shop", "t2");

        assertThat(caller(tokens, "t1")).isNull();
        assertThat(caller(tokens, "t2")).isNotNull();
    }

    @Test
    void fileIsNotReadForEachRequest() throws Exception {
        write("shop", "t1");
        TokenFile tokens = new TokenFile(file, Duration.ofHours(1));
        write("shop", "t2");

        assertThat(caller(tokens, "t1")).isNotNull();
        assertThat(caller(tokens, "t2")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "tokens: {}",
                "tokens: [",
                "tokens:\n  shop:\n    sha256: abc\n    rights: [produce]\n    topics: [a]",
                "tokens:\n  shop:\n    rights: [everything]\n    topics: [a]",
                "\u0000"
            })
    void brokenFileKeepsTheTokensReadBefore(String text) throws Exception {
        write("shop", "t1");
        TokenFile tokens = new TokenFile(file, Duration.ZERO);
        Files.writeString(file, text);
        assertThat(caller(tokens, "t1")).isNotNull();

        write("shop", "t2");
        assertThat(caller(tokens, "t2")).isNotNull();
        assertThat(caller(tokens, "t1")).isNull();
    }

    @Test
    void missingFileKeepsTheTokensReadBefore() throws Exception {
        write("shop", "t1");
        TokenFile tokens = new TokenFile(file, Duration.ZERO);
        Files.delete(file);

        assertThat(caller(tokens, "t1")).isNotNull();
    }

    @Test
    void brokenFileIsRefusedAtFirstAndNotQuoted() throws IOException {
        Files.writeString(file, "tokens: [my-secret-token");

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenFile(file, Duration.ZERO))
                .withMessageContaining("tokens.yaml")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("secret"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new TokenFile(directory.resolve("none"), Duration.ZERO))
                .withMessageContaining("can't be read");
    }
}
