package io.delayqueue.gateway.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.delayqueue.gateway.GatewayProperties.Token;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class BearerTokensTests {

    // of "abc", from FIPS 180
    private static final String SHA256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    private static Token token(String sha256, Set<Right> rights, List<String> topics) {
        Token token = new Token();
        token.setSha256(sha256);
        token.setRights(rights);
        token.setTopics(topics);
        return token;
    }

    @ParameterizedTest
    @ValueSource(strings = {"Bearer abc", "bearer abc", "BEARER  abc "})
    void tokenIsRecognised(String header) {
        BearerTokens tokens = BearerTokens.of(Map.of("shop", token(SHA256, Set.of(Right.PRODUCE), List.of("*"))));
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.addHeader("Authorization", header);

        assertThat(tokens.of(request)).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Bearer ab",
                "Bearer abcd",
                "Bearer ABC",
                "Basic abc",
                "abc",
                "Bearerabc",
                "Bearer " + SHA256
            })
    void mistakesAreNotRecognised(String header) {
        BearerTokens tokens = BearerTokens.of(Map.of("shop", token(SHA256, Set.of(Right.PRODUCE), List.of("*"))));
        MockHttpServletRequest request = new MockHttpServletRequest();
        assertThat(tokens.of(request)).isNull();
        request.addHeader("Authorization", header);

        assertThat(tokens.of(request)).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<SHA-256 of the token>",
                // of "example" and of nothing
                "50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c",
                "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855"
            })
    void placeholdersAndKnownTokensAreRefusedByName(String sha256) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BearerTokens.of(Map.of("shop", token(sha256, Set.of(Right.PRODUCE), List.of("*")))))
                .withMessageContaining("token 'shop'")
                .withMessageContaining("openssl rand -hex 32");
    }

    @Test
    void incompleteTokensAreRefused() {
        Set<Right> rights = Set.of(Right.PRODUCE);
        List<String> topics = List.of("*");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BearerTokens.of(Map.of("shop", token("abc", rights, topics))))
                .withMessageContaining("shop")
                .withMessageContaining("64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BearerTokens.of(Map.of("shop", token(SHA256, Set.of(), topics))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BearerTokens.of(Map.of("shop", token(SHA256, rights, List.of()))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BearerTokens.of(
                        Map.of("a", token(SHA256, rights, topics), "b", token(SHA256.toUpperCase(), rights, topics))))
                .withMessageContaining("another caller");
    }
}
