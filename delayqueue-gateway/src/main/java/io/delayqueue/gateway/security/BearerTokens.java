package io.delayqueue.gateway.security;

import io.delayqueue.gateway.GatewayProperties;
import jakarta.servlet.http.HttpServletRequest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Callers that send {@code Authorization: Bearer} and a token. Only hashes of the tokens are kept. They need no salt, since a token is
 * random and long. A token is compared with all of them in constant time.
 */
public final class BearerTokens implements Callers {

    private static final String SCHEME = "Bearer ";

    /** Tokens that were in an example, and that of a shell's variable without a value. */
    private static final Map<String, String> KNOWN = Map.of(
            "50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c", "the word \"example\"",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "an empty text");

    private final Map<byte[], Caller> byHash = new LinkedHashMap<>();

    /**
     * Tokens of some callers.
     *
     * @param bySha256 callers by the SHA-256 of their token, 64 hexadecimal digits
     * @throws IllegalArgumentException if one is no SHA-256
     */
    public BearerTokens(Map<String, Caller> bySha256) {
        bySha256.forEach((sha256, caller) -> byHash.put(hash(sha256, caller), caller));
    }

    /**
     * Tokens as properties have them.
     *
     * @param byName tokens by the name of their caller
     * @throws IllegalArgumentException if one is incomplete
     */
    public static BearerTokens of(Map<String, GatewayProperties.Token> byName) {
        Map<String, Caller> bySha256 = new LinkedHashMap<>();
        byName.forEach((name, token) -> {
            if (token.getRights().isEmpty() || token.getTopics().isEmpty()) {
                throw new IllegalArgumentException("token '" + name + "' needs rights and topics");
            }
            Caller caller = new Caller(name, new TopicRights(token.getRights(), token.getTopics()));
            if (bySha256.put(token.getSha256().toLowerCase(Locale.ROOT), caller) != null) {
                throw new IllegalArgumentException("token '" + name + "' belongs to another caller, too");
            }
        });
        return new BearerTokens(bySha256);
    }

    private static byte[] hash(String sha256, Caller caller) {
        if (!sha256.matches("[0-9a-fA-F]{64}")) {
            throw new IllegalArgumentException("the SHA-256 of token '" + caller.name()
                    + "' must have 64 hexadecimal digits; make a token by \"openssl rand -hex 32\", and its SHA-256 by"
                    + " \"printf %s TOKEN | sha256sum\"");
        }
        String known = KNOWN.get(sha256.toLowerCase(Locale.ROOT));
        if (known != null) {
            throw new IllegalArgumentException("the SHA-256 of token '" + caller.name() + "' is that of " + known
                    + ", which is public; make a token by \"openssl rand -hex 32\"");
        }
        return HexFormat.of().parseHex(sha256);
    }

    @Override
    public @Nullable Caller of(HttpServletRequest request) {
        String header = Objects.requireNonNullElse(request.getHeader(HttpHeaders.AUTHORIZATION), "");
        if (!header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            return null;
        }
        byte[] hash = Secrets.sha256(header.substring(SCHEME.length()).strip());
        Caller found = null;
        for (Map.Entry<byte[], Caller> entry : byHash.entrySet()) {
            // no end at the first that fits: the time would tell its place
            if (Secrets.areEqual(entry.getKey(), hash)) {
                found = entry.getValue();
            }
        }
        return found;
    }
}
