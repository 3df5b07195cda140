package io.delayqueue.internal.redis;

import io.delayqueue.DuplicatePolicy;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.internal.store.CallId;
import io.delayqueue.internal.store.ClaimRequest;
import io.delayqueue.internal.store.Extension;
import io.delayqueue.internal.store.Lease;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/** Builds the ARGV of the scripts, as their headers list it. */
final class Requests {

    /** Says {@code retry.lua} that an attempt is not counted. */
    private static final String POSTPONED = "postponed";

    /** Suspects are kept apart, as if this were their priority. */
    private static final int SUSPECT_PRIORITY = Keys.PRIORITIES;

    private Requests() {}

    static Arguments schedule(
            Supplier<byte[]> channel, long maxPending, Partition partition, List<OutgoingMessage> messages) {
        Instant now = Instant.now();
        StringBuilder policies = new StringBuilder(messages.size());
        PackedArray bodies = new PackedArray(messages.size() * 256);
        PackedArray dues = new PackedArray(messages.size() * 9);
        for (OutgoingMessage message : messages) {
            char letter = letter(message.duplicatePolicy());
            policies.append(partition.isOf(message.id()) ? letter : Character.toLowerCase(letter));
            bodies.add(bytes(message.id())).add(Envelope.encode(message, now));
            dues.add(Micros.due(message.delay()));
        }
        return new Arguments()
                .add(channel)
                .add(maxPending)
                .add(partition.count())
                .add(policies.toString())
                .add(commonPriority(messages))
                .add(bodies.toBytes())
                .add(dues.toBytes());
    }

    static String commonPriority(List<OutgoingMessage> messages) {
        int first = messages.get(0).priority();
        return messages.stream().allMatch(message -> message.priority() == first) ? Integer.toString(first) : "";
    }

    /** Bounds are rounded as due times are, so that a message due at a bound stands behind it. */
    static Arguments counts(Partition partition, boolean dead, List<Instant> bounds) {
        Arguments arguments = new Arguments().add(partition.count()).add(dead ? 1 : 0);
        bounds.forEach(bound -> arguments.add(Micros.roundedUpToScore(Micros.of(bound))));
        return arguments;
    }

    static Arguments claim(Supplier<byte[]> channel, ClaimRequest request) {
        Duration retention = request.retention();
        return callId(request.callId())
                .add(request.slots())
                .add(request.lease())
                .add(request.maxAttempts())
                .add(retention == null ? 0 : Math.max(1, Micros.of(retention)))
                .add(request.maxBytes())
                .add(request.callId().repeated() ? 1 : 0)
                .add(request.early().time())
                .add(request.early().limit())
                .add(request.prefetch())
                .add(request.suspect() ? 1 : 0)
                .add(request.endsLeasesUntilMicros())
                .add(channel);
    }

    static Arguments ack(CallId callId, List<Lease> leases) {
        PackedArray ids = new PackedArray(leases.size() * 40);
        leases.forEach(lease -> ids.add(bytes(lease.id())));
        Arguments arguments = callId(callId).add(ids.toBytes());
        int begin = 0;
        for (int end = 1; end <= leases.size(); end++) {
            if (end == leases.size()
                    || leases.get(end).receipt() != leases.get(begin).receipt()) {
                arguments.add(leases.get(begin).receipt()).add(end - begin);
                begin = end;
            }
        }
        return arguments;
    }

    static Arguments retry(CallId callId, Supplier<byte[]> channel, List<Retry> retries) {
        Arguments arguments = callId(callId).add(channel);
        for (Retry retry : retries) {
            Duration delay = retry.delay();
            arguments
                    .add(retry.lease().id())
                    .add(retry.lease().receipt())
                    .add(retry.attempts())
                    .add(delay == null ? -1 : Micros.of(delay))
                    .add(retry.priority())
                    .add(delay == null ? retry.error() : retry.postponed() ? POSTPONED : "");
        }
        return arguments;
    }

    static Arguments extend(CallId callId, Supplier<byte[]> channel, List<Extension> extensions) {
        Arguments arguments = callId(callId).add(channel);
        for (Extension extension : extensions) {
            Lease lease = extension.lease();
            Duration held = extension.held();
            arguments
                    .add(lease.id())
                    .add(lease.receipt())
                    .add(extension.duration())
                    .add(code(extension.mode()))
                    .add(held == null ? -1 : Micros.of(held));
        }
        return arguments;
    }

    static Arguments release(Supplier<byte[]> channel, List<Release> releases) {
        Arguments arguments = new Arguments().add(channel);
        for (Release release : releases) {
            Lease lease = release.lease();
            arguments
                    .add(lease.id())
                    .add(lease.receipt())
                    .add(release.dueMicros())
                    .add(release.suspect() ? SUSPECT_PRIORITY : release.priority());
        }
        return arguments;
    }

    private static Arguments callId(CallId callId) {
        return new Arguments().add(callId.consumer()).add(callId.number());
    }

    private static int code(Extension.Mode mode) {
        return switch (mode) {
            case RENEW -> 0;
            case RENEW_ALONE -> 1;
            case KEEP_RECEIPT -> 2;
            case CHANGE -> 3;
        };
    }

    static char letter(DuplicatePolicy policy) {
        return switch (policy) {
            case REJECT -> 'J';
            case KEEP -> 'K';
            case REPLACE -> 'P';
        };
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
