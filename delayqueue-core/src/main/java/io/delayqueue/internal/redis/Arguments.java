package io.delayqueue.internal.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The ARGV of a script: plain decimal digits, UTF-8 and bytes. */
final class Arguments {

    private static final byte[] EMPTY = {};

    private final List<byte[]> values = new ArrayList<>();

    Arguments add(byte[] value) {
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
        return values.toArray(byte[][]::new);
    }
}
