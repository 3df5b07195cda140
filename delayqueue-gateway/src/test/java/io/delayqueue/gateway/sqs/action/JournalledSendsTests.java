package io.delayqueue.gateway.sqs.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.RedisUnavailableException;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Sends of SQS clients are in the journal, as those of the template are, also without the HTTP API. */
class JournalledSendsTests {

    private static final Duration WAIT = Duration.ofSeconds(60);

    private static EmbeddedRedis redis;
    private static OpenSqs sqs;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        sqs = OpenSqs.start(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:sqs-sends",
                "delayqueue.gateway.enabled=false",
                "delayqueue.command-timeout=2s",
                "delayqueue.journal.restore.mode=report");
    }

    @AfterAll
    static void stop() {
        sqs.close();
        redis.close();
    }

    private static long rows(String topic) {
        Long rows = sqs.gateway()
                .context()
                .getBean(JdbcTemplate.class)
                .queryForObject("select count(*) from delayqueue_message where topic = ?", Long.class, topic);
        return rows == null ? 0 : rows;
    }

    /** Redis may take longer than a command may. */
    private static void awaitAccepted(String topic, long count) {
        await().atMost(WAIT)
                .ignoreExceptionsInstanceOf(RedisUnavailableException.class)
                .until(() -> sqs.client().stats(topic).totals().accepted() == count);
    }

    @Test
    void singlesAndBatchesAreRecorded() throws Exception {
        sqs.create("orders");
        assertThat(sqs.send("orders", "one").status()).isEqualTo(200);
        Reply batch = sqs.json(
                "SendMessageBatch",
                "{'QueueUrl':'" + OpenSqs.url("orders") + "','Entries':[{'Id':'a','MessageBody':'two'},"
                        + "{'Id':'b','MessageBody':'three','DelaySeconds':3600}]}");
        assertThat(batch.json().path("Successful").size()).isEqualTo(2);

        assertThat(rows("orders")).isEqualTo(3);
        awaitAccepted("orders", 3);
    }

    @Test
    void sendsAreTakenWhileRedisIsSilent() throws Exception {
        sqs.create("outage");
        assertThat(sqs.send("outage", "before").status()).isEqualTo(200);
        redis.pause();
        try {
            for (int i = 0; i < 5; i++) {
                Reply sent = sqs.send("outage", "during " + i);
                assertThat(sent.status()).as("%s", sent).isEqualTo(200);
            }
            assertThat(rows("outage")).isEqualTo(6);
        } finally {
            redis.resume();
        }
        awaitAccepted("outage", 6);
    }
}
