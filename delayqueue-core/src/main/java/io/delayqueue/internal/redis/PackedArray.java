package io.delayqueue.internal.redis;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A MessagePack array of bytes and whole numbers. A script reads it at once, where an argument for each would cost Redis
 * half as much again. Not for use by several threads.
 */
final class PackedArray {

    private static final int ARRAY_16 = 0xdc;
    private static final int ARRAY_16_BYTES = 3;
    private static final int STRING_8 = 0xd9;
    private static final int STRING_16 = 0xda;
    private static final int STRING_32 = 0xdb;
    private static final int SIGNED_64 = 0xd3;
    private static final int LONGEST_PREFIX = 9;
    private static final int MAX_VALUES = 0xffff;

    private ByteBuffer bytes;
    private int size;

    /** @param expected expected number of bytes; more are allowed */
    PackedArray(int expected) {
        bytes = ByteBuffer.allocate(ARRAY_16_BYTES + expected);
        bytes.position(ARRAY_16_BYTES);
    }

    PackedArray add(byte[] value) {
        reserve(value.length);
        if (value.length <= 0xff) {
            bytes.put((byte) STRING_8).put((byte) value.length);
        } else if (value.length <= 0xffff) {
            bytes.put((byte) STRING_16).putShort((short) value.length);
        } else {
            bytes.put((byte) STRING_32).putInt(value.length);
        }
        bytes.put(value);
        return this;
    }

    PackedArray add(long value) {
        reserve(0);
        bytes.put((byte) SIGNED_64).putLong(value);
        return this;
    }

    private void reserve(int length) {
        if (size == MAX_VALUES) {
            throw new IllegalStateException("more than " + MAX_VALUES + " values");
        }
        size++;
        int needed = Math.addExact(bytes.position(), Math.addExact(length, LONGEST_PREFIX));
        if (needed > bytes.capacity()) {
            ByteBuffer larger = ByteBuffer.allocate(Math.max(needed, 2 * bytes.capacity()));
            bytes = larger.put(bytes.flip());
        }
    }

    byte[] toBytes() {
        bytes.put(0, (byte) ARRAY_16).putShort(1, (short) size);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }
}
