package io.delayqueue.gateway.security;

import io.delayqueue.gateway.GatewayProperties.Token;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ByteArrayResource;

/**
 * Callers by tokens of a YAML file, which may change while the application runs: a request that comes some seconds later sees the
 * change. A file that has become invalid is logged, and the tokens read before it stay. Safe for use by many threads.
 */
public final class TokenFile implements Callers {

    /** Time for which a file is not looked at again. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(TokenFile.class);

    private final Path path;
    private final long intervalNanos;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile BearerTokens tokens;
    private volatile byte[] content;
    private volatile long lookedAt;

    /**
     * Tokens of a file, read now.
     *
     * @param path the file: {@code tokens}, and below the name of each caller its {@code sha256}, {@code rights} and {@code topics}
     * @param interval time after which a request has it looked at again
     * @throws IllegalArgumentException if it can't be read, or is invalid
     */
    public TokenFile(Path path, Duration interval) {
        this.path = path;
        this.intervalNanos = interval.toNanos();
        try {
            content = Files.readAllBytes(path);
            tokens = parse(content);
            lookedAt = System.nanoTime();
        } catch (IOException e) {
            throw new IllegalArgumentException("the token file " + path + " can't be read: " + e, e);
        }
    }

    @Override
    public @Nullable Caller of(HttpServletRequest request) {
        if (System.nanoTime() - lookedAt >= intervalNanos && reading.tryLock()) {
            try {
                read();
            } finally {
                lookedAt = System.nanoTime();
                reading.unlock();
            }
        }
        return tokens.of(request);
    }

    private void read() {
        try {
            byte[] read = Files.readAllBytes(path);
            // compared whole: a file written twice within a tick of the file system's clock is seen, too
            if (!Arrays.equals(read, content)) {
                content = read;
                tokens = parse(read);
                log.info("The tokens of {} were read again", path);
            }
        } catch (IOException | IllegalArgumentException e) {
            log.warn("The token file {} is not usable, so the tokens that were read before stay: {}", path, words(e));
        }
    }

    private BearerTokens parse(byte[] yaml) {
        Map<String, Token> byName;
        try {
            MutablePropertySources sources = new MutablePropertySources();
            new YamlPropertySourceLoader()
                    .load("tokens", new ByteArrayResource(yaml))
                    .forEach(sources::addLast);
            byName = new Binder(ConfigurationPropertySources.from(sources))
                    .bind("tokens", Bindable.mapOf(String.class, Token.class))
                    .orElseGet(Map::of);
        } catch (IOException | RuntimeException e) {
            // without the library's words: they quote the file, and somebody may have written a token into it
            throw new IllegalArgumentException(
                    "the token file " + path + " is not valid: " + e.getClass().getSimpleName());
        }
        if (byName.isEmpty()) {
            throw new IllegalArgumentException("the token file " + path + " has no tokens");
        }
        return BearerTokens.of(byName);
    }

    private static String words(Exception e) {
        return e instanceof IOException ? e.toString() : String.valueOf(e.getMessage());
    }
}
