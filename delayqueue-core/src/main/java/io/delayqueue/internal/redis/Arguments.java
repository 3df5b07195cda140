package io.delayqueue.internal.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/** The ARGV of a script: plain decimal digits, UTF-8 and bytes. */
final class Arguments {

    private static final byte[] EMPTY = {};

    private final List<Supplier<byte[]>> values = new ArrayList<>();

    Arguments add(byte[] value) {
        return add(() -> value);
    }

    /** A value that is only known when the arguments are sent. */
    Arguments add(Supplier<byte[]> value) {
        values.add(value);
        return this;
    }

    Arguments add(String value) {
        return add(value.getBytes(StandardCharsets.UTF_8));
    }

    Arguments add(long value) {
        return add(Long.toString(value).getBytes(StandardCharsets.ISO_8859_1));
    }

    Arguments add(Duration value) {
        return add(Micros.of(value));
    }

    Arguments addAll(Collection<String> all) {
        all.forEach(this::add);
        return this;
    }

    Arguments addNothing() {
        return add(EMPTY);
    }

    byte[][] toArray() {
        return values.stream().map(Supplier::get).toArray(byte[][]::new);
    }
}
