package io.delayqueue.gateway.security;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ByteArrayResource;

/**
 * A YAML file with the keys or tokens of callers. It may change while the application runs: a request that comes 5 s later sees the
 * change. A file that has become invalid is logged, and what was read before stays. Safe for use by many threads.
 *
 * @param <T> what is made of the file
 */
public final class ReloadedFile<T> {

    /** Time for which a file is not looked at again. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(ReloadedFile.class);

    private final Path path;
    private final String kind;
    private final Function<byte[], T> parse;
    private final long intervalNanos;
    private final ReentrantLock reading = new ReentrantLock();
    private volatile T value;
    private volatile byte[] content;
    private volatile long lookedAt;

    /**
     * A file, read now.
     *
     * @param path the file
     * @param kind {@code token} or {@code key}: the file has its plural, and below that an entry for each name
     * @param type type of an entry
     * @param make makes the value of the entries by their name, or throws an {@link IllegalArgumentException} that quotes no secret
     * @param interval time after which a request has the file looked at again
     * @throws IllegalArgumentException if it can't be read, or is invalid
     */
    public <E> ReloadedFile(
            Path path, String kind, Class<E> type, Function<Map<String, E>, T> make, Duration interval) {
        this.path = path;
        this.kind = kind;
        this.intervalNanos = interval.toNanos();
        this.parse = yaml -> make.apply(entries(yaml, type));
        try {
            content = Files.readAllBytes(path);
            value = parse.apply(content);
            lookedAt = System.nanoTime();
        } catch (IOException e) {
            throw new IllegalArgumentException("the " + kind + " file " + path + " can't be read: " + e, e);
        }
    }

    /** What it tells. */
    public T get() {
        if (System.nanoTime() - lookedAt >= intervalNanos && reading.tryLock()) {
            try {
                read();
            } finally {
                lookedAt = System.nanoTime();
                reading.unlock();
            }
        }
        return value;
    }

    private void read() {
        try {
            byte[] read = Files.readAllBytes(path);
            // compared whole: a file written twice within a tick of the file system's clock is seen, too
            if (!Arrays.equals(read, content)) {
                content = read;
                value = parse.apply(read);
                log.info("The {}s of {} were read again", kind, path);
            }
        } catch (IOException | IllegalArgumentException e) {
            log.warn(
                    "The {} file {} is not usable, so the {}s that were read before stay: {}",
                    kind,
                    path,
                    kind,
                    words(e));
        }
    }

    private <E> Map<String, E> entries(byte[] yaml, Class<E> type) {
        Map<String, E> byName;
        try {
            MutablePropertySources sources = new MutablePropertySources();
            new YamlPropertySourceLoader()
                    .load(kind, new ByteArrayResource(yaml))
                    .forEach(sources::addLast);
            byName = new Binder(ConfigurationPropertySources.from(sources))
                    .bind(kind + "s", Bindable.mapOf(String.class, type))
                    .orElseGet(Map::of);
        } catch (IOException | RuntimeException e) {
            // without the library's words: they quote the file, and somebody may have written a secret into it
            throw new IllegalArgumentException("the " + kind + " file " + path + " is not valid: "
                    + e.getClass().getSimpleName());
        }
        if (byName.isEmpty()) {
            throw new IllegalArgumentException("the " + kind + " file " + path + " has no " + kind + "s");
        }
        return byName;
    }

    private static String words(Exception e) {
        return e instanceof IOException ? e.toString() : String.valueOf(e.getMessage());
    }
}
