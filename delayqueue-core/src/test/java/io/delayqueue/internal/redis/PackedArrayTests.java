package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The array as Redis' own reader of MessagePack reads it. */
class PackedArrayTests {

    private final RedisCommands<byte[], byte[]> redis =
            RedisServer.client().connect(ByteArrayCodec.INSTANCE).sync();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 255, 256, 65_535, 65_536, 1 << 20})
    void bytesOfAnyLengthAndValue(int length) {
        byte[] value = new byte[length];
        new Random(length).nextBytes(value);

        assertThat(read(new PackedArray(0).add(value).add("last".getBytes()).toBytes()))
                .containsExactly(value, "last".getBytes());
    }

    @Test
    void asManyAsABatchHas() {
        PackedArray array = new PackedArray(16);
        List<byte[]> expected = new ArrayList<>();
        for (int i = 0; i < 1_024; i++) {
            byte[] value = ("value " + i).getBytes();
            expected.add(value);
            array.add(value);
        }

        assertThat(read(array.toBytes())).containsExactlyElementsOf(expected);
        assertThat(read(new PackedArray(0).toBytes())).isEmpty();
    }

    @Test
    void wholeNumbers() {
        long[] numbers = {
            0, 1, -1, 127, 128, -33, 1_763_719_000_000_001L, -31_536_000_000_000_001L, 1L << 53, -(1L << 53)
        };
        PackedArray array = new PackedArray(0);
        for (long number : numbers) {
            array.add(number);
        }

        List<byte[]> read = redis.eval("""
                local texts = {}
                for i, number in ipairs(cmsgpack.unpack(ARGV[1])) do texts[i] = string.format('%.0f', number) end
                return texts""", ScriptOutputType.MULTI, new byte[0][], array.toBytes());

        assertThat(read).hasSameSizeAs(numbers);
        for (int i = 0; i < numbers.length; i++) {
            assertThat((long) Double.parseDouble(new String(read.get(i)))).isEqualTo((long) (double) numbers[i]);
        }
    }

    @Test
    void moreThanItCanHoldIsRefused() {
        PackedArray array = new PackedArray(0);
        for (int i = 0; i < 65_535; i++) {
            array.add(i);
        }

        assertThatIllegalStateException().isThrownBy(() -> array.add(1)).withMessageContaining("65535");
    }

    private List<byte[]> read(byte[] packed) {
        return redis.eval("return cmsgpack.unpack(ARGV[1])", ScriptOutputType.MULTI, new byte[0][], packed);
    }
}
