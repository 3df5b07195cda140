package io.delayqueue.gateway.sqs.signature;

import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/** Keys derived from secrets, kept: deriving one takes four times what a signature takes. Safe for use by several threads. */
final class SigningKeys {

    /** Clients choose day, region and service, so that their number needs a bound. */
    private static final int MAX_KEYS = 256;

    private record Name(String accessKeyId, String secret, Scope scope) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Name, byte[]> keys = new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Name, byte[]> eldest) {
            return size() > MAX_KEYS;
        }
    };

    byte[] key(String accessKeyId, String secret, Scope scope) {
        Name name = new Name(accessKeyId, secret, scope);
        lock.lock();
        try {
            return keys.computeIfAbsent(name, SigningKeys::derive);
        } finally {
            lock.unlock();
        }
    }

    /** Number of keys kept. */
    int size() {
        lock.lock();
        try {
            return keys.size();
        } finally {
            lock.unlock();
        }
    }

    private static byte[] derive(Name name) {
        byte[] date = Sha256.hmac(("AWS4" + name.secret).getBytes(StandardCharsets.UTF_8), name.scope.date());
        byte[] region = Sha256.hmac(date, name.scope.region());
        byte[] service = Sha256.hmac(region, name.scope.service());
        return Sha256.hmac(service, "aws4_request");
    }
}
