package io.delayqueue.gateway.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.ScheduleResult;
import io.delayqueue.gateway.http.OwnThreadSender;
import io.delayqueue.gateway.http.problem.ProblemException;
import io.delayqueue.gateway.http.problem.ProblemType;
import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.Rights;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.OpenSqs.Reply;
import io.delayqueue.test.EmbeddedRedis;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

/** Both endpoints change messages by the same threads, so a database that gives no connection holds none of the container's. */
class SharedSendsTests {

    private static final Duration WAIT = Duration.ofSeconds(60);
    private static final int CONNECTIONS = 3;
    private static final int REFUSED = 50;

    /** Of both endpoints. */
    private static final int THREADS = 10;

    private static EmbeddedRedis redis;
    private static OpenSqs sqs;

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        sqs = OpenSqs.start(
                redis,
                "spring.autoconfigure.exclude=" + String.join(",", Gateway.SECURITY),
                "spring.datasource.url=jdbc:h2:mem:shared-sends",
                "spring.datasource.hikari.maximum-pool-size=" + CONNECTIONS,
                "spring.datasource.hikari.connection-timeout=120000",
                "server.tomcat.threads.max=5",
                "delayqueue.journal.restore.mode=report");
    }

    @AfterAll
    static void stop() {
        sqs.close();
        redis.close();
    }

    private static List<Connection> takeAll() throws SQLException {
        DataSource database = sqs.gateway().context().getBean(DataSource.class);
        List<Connection> taken = new ArrayList<>();
        for (int i = 0; i < CONNECTIONS; i++) {
            taken.add(database.getConnection());
        }
        return taken;
    }

    private static void give(List<Connection> taken) throws SQLException {
        for (Connection connection : taken) {
            connection.close();
        }
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("delayqueue-gateway-journal"))
                .count();
    }

    private static OutgoingMessage message(String topic, String id) {
        return OutgoingMessage.to(topic).id(id).payload(new byte[] {'1'}).build();
    }

    @Test
    void sendsThatWaitForTheDatabaseLeaveThreadsToOthers() throws Exception {
        sqs.create("sent");
        sqs.create("others");
        List<CompletableFuture<Integer>> sends = new ArrayList<>();
        List<Connection> taken = takeAll();
        try {
            for (int i = 0; i < 15; i++) {
                sends.add(sqs.jsonAsync("SendMessage", "{'QueueUrl':'" + OpenSqs.url("sent") + "','MessageBody':'x'}")
                        .thenApply(Reply::status));
                sends.add(sqs.gateway()
                        .sendAsync("POST", "/topics/sent/messages", "{\"payload\": 1}")
                        .thenApply(Gateway.Reply::status));
            }
            await().atMost(WAIT).until(() -> threads() >= THREADS);
            assertThat(sqs.client().schedule(message("others", "one")).outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            Reply received = sqs.jsonAsync("ReceiveMessage", OpenSqs.receiveBody("others", 20, 30))
                    .get(60, TimeUnit.SECONDS);
            assertThat(received.json().path("Messages").size()).isEqualTo(1);
            assertThat(threads()).as("threads of both endpoints").isEqualTo(THREADS);
        } finally {
            give(taken);
        }
        for (CompletableFuture<Integer> send : sends) {
            // 503 only if all this took longer than a send may wait
            assertThat(send.get(1, TimeUnit.MINUTES)).isIn(200, 201, 503);
        }
    }

    /** More sends than may wait: each answer tells whether its message may be in the journal. */
    @Test
    void refusedSendsAreNotRecordedLater() throws Exception {
        JournalledSends sends = new JournalledSends(sqs.gateway().context().getBean(OwnThreadSender.class));
        List<CompletableFuture<ScheduleResult>> begun = new ArrayList<>();
        int refused = 0;
        List<Connection> taken = takeAll();
        try {
            while (refused < REFUSED) {
                try {
                    begun.add(sends.send(Caller.EVERYONE, message("refused", "m-" + begun.size())));
                } catch (SqsException e) {
                    assertThat(e.error()).isEqualTo(SqsError.SERVICE_UNAVAILABLE);
                    assertThat(e).hasMessageContaining("nothing was done");
                    refused++;
                }
            }
            assertThat(begun).as("threads and waiting places").hasSizeGreaterThan(OwnThreadSender.MOST_WAITING);
        } finally {
            give(taken);
        }
        int recorded = 0;
        int perhaps = 0;
        for (CompletableFuture<ScheduleResult> one : begun) {
            String outcome =
                    one.handle((result, failure) -> String.valueOf(failure)).get(1, TimeUnit.MINUTES);
            // late ones only if all this took longer than a send may wait
            recorded += outcome.equals("null") ? 1 : 0;
            perhaps += outcome.contains("may have been carried out") ? 1 : 0;
        }
        // behind all others
        assertThat(sends.send(Caller.EVERYONE, message("refused", "last")).get(1, TimeUnit.MINUTES))
                .isNotNull();
        assertThat(rows("refused")).isBetween(recorded + 1L, recorded + perhaps + 1L);
    }

    @Test
    void oneCallerOfBothEndpointsLeavesHalfOfTheSlotsToOthers() throws Exception {
        OwnThreadSender http = sqs.gateway().context().getBean(OwnThreadSender.class);
        JournalledSends sends = new JournalledSends(http);
        Caller shop = new Caller("shop", Rights.ALL);
        Caller other = new Caller("other", Rights.ALL);
        List<CompletableFuture<ScheduleResult>> begun = new ArrayList<>();
        List<Connection> taken = takeAll();
        try {
            for (int i = 0; i < OwnThreadSender.MOST_WAITING / 2; i += 2) {
                begun.add(http.scheduleAsync(shop, message("shares", "h-" + i)));
                begun.add(sends.send(shop, message("shares", "s-" + i)));
            }
            assertThatExceptionOfType(ProblemException.class)
                    .isThrownBy(() -> http.scheduleAsync(shop, message("shares", "refused")))
                    .withMessageContainingAll("caller 'shop'", "nothing was done")
                    .satisfies(e -> assertThat(e.type()).isEqualTo(ProblemType.TOO_MANY_REQUESTS));
            assertThatExceptionOfType(SqsException.class)
                    .isThrownBy(() -> sends.send(shop, message("shares", "refused")))
                    .withMessageContainingAll("caller 'shop'", "nothing was done")
                    .satisfies(e -> assertThat(e.error()).isEqualTo(SqsError.REQUEST_THROTTLED));
            for (int i = 0; i < OwnThreadSender.MOST_WAITING / 2; i += 2) {
                begun.add(http.scheduleAsync(other, message("shares", "oh-" + i)));
                begun.add(sends.send(other, message("shares", "os-" + i)));
            }
        } finally {
            give(taken);
        }
        for (CompletableFuture<ScheduleResult> one : begun) {
            // late only if all this took longer than a send may wait
            one.handle((result, failure) -> result).get(1, TimeUnit.MINUTES);
        }
        assertThat(http.scheduleAsync(shop, message("shares", "later")).get(1, TimeUnit.MINUTES))
                .as("its places are free again")
                .isNotNull();
    }

    private static long rows(String topic) {
        Long rows = sqs.gateway()
                .context()
                .getBean(JdbcTemplate.class)
                .queryForObject("select count(*) from delayqueue_message where topic = ?", Long.class, topic);
        return rows == null ? 0 : rows;
    }
}
