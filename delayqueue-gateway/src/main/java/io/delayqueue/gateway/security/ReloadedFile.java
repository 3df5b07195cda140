package io.delayqueue.gateway.security;

import io.delayqueue.gateway.log.RareWarnings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongSupplier;
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
 * A YAML file with the keys or tokens of callers. It may change while the application runs: a request that comes 5 s later sees the
 * change. A file that has become invalid is logged, and what was read before stays. While it is invalid and requests come, a line a minute
 * says so. Safe for use by many threads.
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
    private final LongSupplier nanoTime;
    private volatile T value;
    private volatile long lookedAt;

    /** The bytes that were read last. This and the following are guarded by the lock. */
    private byte[] content;

    /** Why the content is not the value; null if it is. */
    private @Nullable String invalid;

    /** The fault that the warnings tell; null if the last look found none. */
    private @Nullable String fault;

    private RareWarnings warnings;

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
        this(path, kind, type, make, interval, System::nanoTime);
    }

    /** @param nanoTime {@link System#nanoTime()} */
    <E> ReloadedFile(
            Path path,
            String kind,
            Class<E> type,
            Function<Map<String, E>, T> make,
            Duration interval,
            LongSupplier nanoTime) {
        this.path = path;
        this.nanoTime = nanoTime;
        this.warnings = new RareWarnings(log, nanoTime);
        this.kind = kind;
        this.intervalNanos = interval.toNanos();
        this.parse = yaml -> make.apply(entries(yaml, type));
        try {
            content = Files.readAllBytes(path);
            value = parse.apply(content);
            lookedAt = nanoTime.getAsLong();
        } catch (IOException e) {
            throw new IllegalArgumentException("the " + kind + " file " + path + " can't be read: " + e, e);
        }
    }

    /** The value of the file's content, as last read. */
    public T get() {
        if (nanoTime.getAsLong() - lookedAt >= intervalNanos && reading.tryLock()) {
            try {
                read();
            } finally {
                lookedAt = nanoTime.getAsLong();
                reading.unlock();
            }
        }
        return value;
    }

    private void read() {
        byte[] read;
        try {
            read = Files.readAllBytes(path);
        } catch (IOException e) {
            warn(e.toString());
            return;
        }
        // compared whole: a file written twice within a tick of the file system's clock is seen, too
        if (!Arrays.equals(read, content)) {
            content = read;
            fault = null;
            invalid = parse(read);
        }
        if (invalid == null) {
            fault = null;
        } else {
            warn(invalid);
        }
    }

    /** Returns why the content is invalid; null if it is the value now. */
    private @Nullable String parse(byte[] read) {
        try {
            value = parse.apply(read);
        } catch (IllegalArgumentException e) {
            return String.valueOf(e.getMessage());
        }
        log.info("The {}s of {} were read again", kind, path);
        return null;
    }

    /** A new fault is logged at once, one that lasts each minute. */
    private void warn(String words) {
        if (!words.equals(fault)) {
            fault = words;
            warnings = new RareWarnings(log, nanoTime);
        }
        warnings.warn(
                "The " + kind + " file " + path + " is not usable, so the " + kind + "s that were read before stay: "
                        + words,
                null);
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
}
