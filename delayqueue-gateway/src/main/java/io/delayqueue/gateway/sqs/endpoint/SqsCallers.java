package io.delayqueue.gateway.sqs.endpoint;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.RequestRates;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.sqs.signature.SignatureV4;
import io.delayqueue.gateway.sqs.signature.SignedRequest;
import java.time.Clock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Identifies the caller of a request by its signature. Safe for use by several threads. */
public final class SqsCallers {

    /**
     * A key pair.
     *
     * @param secret its secret
     * @param caller who has it
     */
    public record Key(String secret, Caller caller) {

        /** The caller, never the secret. */
        @Override
        public String toString() {
            return "Key[" + caller.name() + "]";
        }
    }

    private final Function<String, @Nullable Key> keys;
    private final SignatureV4 signature;
    private final Clock clock;
    private final @Nullable Caller everyone;
    private final RequestRates rates;

    /**
     * Callers with these key pairs.
     *
     * @param keys gives the key pair of an access key id, or null if there is none. It may change
     * @param everyone caller of all requests, whose signatures are not checked; null if they are
     * @param rates limits the requests of each
     */
    public SqsCallers(
            Function<String, @Nullable Key> keys, @Nullable Caller everyone, RequestRates rates, Clock clock) {
        this.keys = keys;
        this.signature = new SignatureV4(this::secret);
        this.clock = clock;
        this.everyone = everyone;
        this.rates = rates;
    }

    private @Nullable String secret(String accessKeyId) {
        Key key = keys.apply(accessKeyId);
        return key == null ? null : key.secret;
    }

    /**
     * The caller that a request names, before its body is read. Its signature is not checked, so it may be another's.
     *
     * @throws SqsException if the request can't be one of a caller
     */
    Caller claimed(SignedRequest head) {
        return everyone == null ? caller(signature.verifyHead(head, clock.instant())) : everyone;
    }

    Caller of(SignedRequest request) {
        Caller caller = everyone == null ? signer(request) : everyone;
        if (!rates.tryRequest(caller.name())) {
            throw new SqsException(SqsError.REQUEST_THROTTLED, "This caller's rate of requests is used up.");
        }
        return caller;
    }

    private Caller signer(SignedRequest request) {
        return caller(signature.verify(request, clock.instant()));
    }

    private Caller caller(String accessKeyId) {
        Key key = keys.apply(accessKeyId);
        if (key == null) {
            // its key pair was removed a moment ago
            throw SignatureV4.unknownKey();
        }
        return key.caller;
    }
}
