package io.delayqueue.gateway.sqs.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.RedisAccessDeniedException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;

class SqsErrorsTests {

    /** Clients repeat it, and the log gets the reason, which clients do not need. */
    @Test
    void failuresOfRedisPermissionsAndOfTheDatabaseAreUnavailableServices() {
        RedisAccessDeniedException denied = new RedisAccessDeniedException("NOPERM", "orders", null, null);
        DataAccessResourceFailureException away = new DataAccessResourceFailureException("no connection");

        SqsException ofRedis = SqsErrors.of(new CompletionException(denied));
        SqsException ofDatabase = SqsErrors.of(away);

        assertThat(ofRedis.error()).isEqualTo(SqsError.SERVICE_UNAVAILABLE);
        assertThat(ofRedis).hasCause(denied).hasMessageNotContaining("NOPERM");
        assertThat(ofDatabase.error()).isEqualTo(SqsError.SERVICE_UNAVAILABLE);
        assertThat(ofDatabase).hasCause(away).hasMessageContaining("may have been carried out");
    }
}
