package io.delayqueue.internal.redis;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.ClaimAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The cost of writing and reading a message of 100 bytes, without the connection. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EnvelopeBenchmark {

    static final int CLAIMED = 100;

    private static final String TOPIC = "orders";
    private static final int MAX_ATTEMPTS = 3;

    private final Instant now = Instant.now();
    private final OutgoingMessage plain = message().build();
    private final OutgoingMessage withHeaders = message()
            .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .header("tenant", "blue")
            .build();
    private final byte[] encoded = Envelope.encode(plain, now);
    private final byte[] encodedWithHeaders = Envelope.encode(withHeaders, now);
    private final List<Object> claimReply = claimReply(encoded);

    private static OutgoingMessage.Builder message() {
        return OutgoingMessage.to(TOPIC).payload(new byte[100]).delay(Duration.ofHours(1));
    }

    /** The script's reply to a claim of {@link #CLAIMED} messages. */
    private static List<Object> claimReply(byte[] envelope) {
        List<Object> leased = new ArrayList<>();
        for (int i = 0; i < CLAIMED; i++) {
            leased.add(String.format("message-%012d", i).getBytes(StandardCharsets.US_ASCII));
            leased.add(1_700_000_000_000_000L + i);
            leased.add(envelope);
        }
        List<Object> none = List.of();
        return List.<Object>of(
                1_700_000_000_500_000L,
                0L,
                0L,
                1_700_000_030_500_000L,
                leased,
                none,
                none,
                none,
                none,
                0L,
                1L,
                0L,
                0L,
                0L,
                -1L,
                0L,
                -1L);
    }

    /** Builds a message as a user does. */
    @Benchmark
    public OutgoingMessage build() {
        return message().build();
    }

    /** Writes an envelope. */
    @Benchmark
    public byte[] encode() {
        return Envelope.encode(plain, now);
    }

    /** Writes an envelope with two headers. */
    @Benchmark
    public byte[] encodeWithHeaders() {
        return Envelope.encode(withHeaders, now);
    }

    /** Reads an envelope. */
    @Benchmark
    public Object decode() {
        return Envelope.decode(encoded, TOPIC, "message");
    }

    /** Reads an envelope with two headers. */
    @Benchmark
    public Object decodeWithHeaders() {
        return Envelope.decode(encodedWithHeaders, TOPIC, "message");
    }

    /** Reads the reply to a claim, for each of its messages. */
    @Benchmark
    @OperationsPerInvocation(CLAIMED)
    public ClaimAnswer decodeClaimReply() {
        return MessageReplies.claim(claimReply, TOPIC, MAX_ATTEMPTS);
    }
}
