package io.delayqueue.gateway.sqs.signature;

import io.delayqueue.gateway.security.Secrets;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key that a request was signed with. Covers method, path, query, body, the host, and each {@code x-amz-*} header. Safe for use
 * by several threads.
 */
public final class SignatureV4 {

    /** Difference of clocks, as at AWS. */
    private static final Duration MAX_SKEW = Duration.ofMinutes(15);

    /** Longest life of a presigned URL, as at AWS. */
    private static final long MAX_EXPIRES_SECONDS = Duration.ofDays(7).toSeconds();

    private static final DateTimeFormatter TIMESTAMP =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

    private static final int TIMESTAMP_LENGTH = 16;

    private final Function<String, @Nullable String> secrets;
    private final SigningKeys keys = new SigningKeys();

    /**
     * @param secrets gives the secret of an access key id, or null if there is no such key
     */
    public SignatureV4(Function<String, @Nullable String> secrets) {
        this.secrets = secrets;
    }

    /**
     * Checks the signature of a request.
     *
     * @return the access key id that signed it
     * @throws SqsException with SQS' error if nobody known signed exactly this request within the last 15 minutes
     */
    public String verify(SignedRequest request, Instant now) {
        Authorization authorization = authorization(request, now);
        String accessKeyId = authorization.credential().accessKeyId();
        String secret = secret(accessKeyId);
        String expected = signature(request, authorization, secret);
        // a client may send one of any length
        if (!Secrets.areEqual(Secrets.sha256(expected), Secrets.sha256(authorization.signature()))) {
            throw new SqsException(
                    SqsError.SIGNATURE_DOES_NOT_MATCH,
                    "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key"
                            + " and signing method.");
        }
        return accessKeyId;
    }

    /**
     * Checks all of a request but its signature, so that the body of one that can't be good need not be read.
     *
     * @param head the request; its body does not matter
     * @return the access key id that the request names, which anyone may name
     * @throws SqsException as {@link #verify}
     */
    public String verifyHead(SignedRequest head, Instant now) {
        String accessKeyId = authorization(head, now).credential().accessKeyId();
        secret(accessKeyId);
        return accessKeyId;
    }

    private static Authorization authorization(SignedRequest request, Instant now) {
        Authorization authorization = Authorization.of(request);
        requireHeaders(request, authorization);
        requireTime(authorization, now);
        return authorization;
    }

    private String secret(String accessKeyId) {
        String secret = secrets.apply(accessKeyId);
        if (secret == null) {
            throw unknownKey();
        }
        return secret;
    }

    /** The error of requests of a key that does not exist. */
    public static SqsException unknownKey() {
        return new SqsException(
                SqsError.INVALID_CLIENT_TOKEN_ID, "The security token included in the request is invalid.");
    }

    private String signature(SignedRequest request, Authorization authorization, String secret) {
        Scope scope = authorization.credential().scope();
        String canonical = CanonicalRequest.of(request, authorization.signedHeaders());
        String text = "AWS4-HMAC-SHA256\n" + authorization.timestamp() + "\n" + scope + "\n"
                + Sha256.hex(canonical.getBytes(StandardCharsets.UTF_8));
        byte[] key = keys.key(authorization.credential().accessKeyId(), secret, scope);
        return HexFormat.of().formatHex(Sha256.hmac(key, text));
    }

    /** A header that decides, such as that of the action, must not be added or changed by others. */
    private static void requireHeaders(SignedRequest request, Authorization authorization) {
        requireSigned("host", authorization);
        for (String name : request.headers().keySet()) {
            if (name.startsWith("x-amz-")) {
                requireSigned(name, authorization);
            }
        }
    }

    private static void requireSigned(String name, Authorization authorization) {
        if (!authorization.signedHeaders().contains(name)) {
            throw new SqsException(SqsError.INCOMPLETE_SIGNATURE, "The signature must cover the header " + name + ".");
        }
    }

    private static void requireTime(Authorization authorization, Instant now) {
        Instant signed;
        long life = MAX_SKEW.toSeconds();
        try {
            // The parser would take years of nine digits, which no clock has.
            if (authorization.timestamp().length() != TIMESTAMP_LENGTH) {
                throw new DateTimeParseException("wrong length", authorization.timestamp(), 0);
            }
            signed = Instant.from(TIMESTAMP.parse(authorization.timestamp()));
            if (authorization.expiresSeconds() != null) {
                life = Long.parseLong(authorization.expiresSeconds());
            }
        } catch (DateTimeParseException | NumberFormatException e) {
            throw new SqsException(
                    SqsError.INCOMPLETE_SIGNATURE, "X-Amz-Date must be yyyyMMddTHHmmssZ, and X-Amz-Expires a number.");
        }
        boolean sameDay = authorization
                .timestamp()
                .startsWith(authorization.credential().scope().date());
        if (!sameDay || life < 1 || life > MAX_EXPIRES_SECONDS) {
            throw new SqsException(
                    SqsError.INCOMPLETE_SIGNATURE,
                    "X-Amz-Date must be of the day of the credential, and X-Amz-Expires 1 to " + MAX_EXPIRES_SECONDS
                            + ".");
        }
        if (now.isAfter(signed.plusSeconds(life)) || now.isBefore(signed.minus(MAX_SKEW))) {
            throw new SqsException(
                    SqsError.REQUEST_EXPIRED,
                    "Signature expired or not yet good: " + authorization.timestamp() + " is too far from "
                            + TIMESTAMP.format(now) + ".");
        }
    }
}
