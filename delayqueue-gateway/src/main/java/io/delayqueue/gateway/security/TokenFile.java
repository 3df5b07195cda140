package io.delayqueue.gateway.security;

import io.delayqueue.gateway.GatewayProperties.Token;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Callers by tokens of a YAML file, which may change while the application runs. Safe for use by many threads. */
public final class TokenFile implements Callers {

    private final ReloadedFile<BearerTokens> tokens;

    /**
     * Tokens of a file, read now.
     *
     * @param path the file: {@code tokens}, and below the name of each caller its {@code sha256}, {@code rights} and {@code topics}
     * @param interval time after which a request has it looked at again
     * @throws IllegalArgumentException if it can't be read, or is invalid
     */
    public TokenFile(Path path, Duration interval) {
        tokens = new ReloadedFile<>(path, "token", Token.class, BearerTokens::of, interval);
    }

    @Override
    public @Nullable Caller of(HttpServletRequest request) {
        return tokens.get().of(request);
    }
}
