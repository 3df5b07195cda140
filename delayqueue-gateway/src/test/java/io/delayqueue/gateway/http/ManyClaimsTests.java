package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.RedisCallback;

/** Many clients that wait cost memory, and neither threads nor commands. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class ManyClaimsTests {

    private static final int CLIENTS = 1_000;

    @Test
    void thousandWaitingClientsShareOneClaimLoop(EmbeddedRedis redis) throws Exception {
        List<RawConnection> clients = new ArrayList<>();
        // answers have half of this time for a thread
        try (Gateway gateway = Gateway.start(redis, "delayqueue.gateway.claims.delivery-lease=60s")) {
            gateway.send("POST", "/topics/orders/claims", "{\"wait\": 0.1}");
            long heapBefore = usedHeap();
            int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
            for (int i = 0; i < CLIENTS; i++) {
                RawConnection client = new RawConnection(gateway.port());
                client.post("/topics/orders/claims", "{\"wait\": 60, \"lease\": 600}");
                clients.add(client);
            }
            PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
            await().atMost(Duration.ofSeconds(60)).until(() -> consumers.callsUnderWay("orders") == CLIENTS);

            int threads = ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore;
            long heap = (usedHeap() - heapBefore) / CLIENTS;
            long callsBefore = scriptCalls(gateway);
            long begun = System.nanoTime();
            await().pollDelay(Duration.ofSeconds(10))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> true);
            double seconds = (System.nanoTime() - begun) / 1e9;
            double calls = (scriptCalls(gateway) - callsBefore) / seconds;
            System.out.printf(
                    "%d waiting clients: %d more threads, %d bytes of heap a client, %.2f scripts/s%n",
                    CLIENTS, threads, heap, calls);
            // Tomcat's pool grows by the requests that come at once
            assertThat(threads).isLessThan(250);
            // about 110,000 with this test's own end of the connection: most of it are buffers of the container
            assertThat(heap).isLessThan(250_000);
            // a look every guard interval of 5 s
            assertThat(calls).isLessThan(0.7);

            List<OutgoingMessage> messages = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                messages.add(OutgoingMessage.to("orders").payload(new byte[10]).build());
            }
            assertThat(gateway.client().scheduleAll(messages)).hasSize(CLIENTS);
            for (RawConnection client : clients) {
                assertThat(client.readHead()).startsWith("HTTP/1.1 200");
            }
            // on a slow machine, the wait of the first ones has ended before
            TopicStats stats = gateway.client().stats("orders");
            assertThat(stats.inFlight() + stats.pending().total()).isEqualTo(CLIENTS);
            assertThat(stats.inFlight()).isGreaterThan(CLIENTS / 2);
        } finally {
            for (RawConnection client : clients) {
                client.close();
            }
        }
    }

    /** Garbage of earlier tests may take several collections, since some of it waits for its cleaners. */
    private static long usedHeap() {
        long used = Long.MAX_VALUE;
        long before;
        int collections = 0;
        do {
            before = used;
            System.gc();
            used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        } while (before - used > 1_000_000 && ++collections < 20);
        return used;
    }

    private static long scriptCalls(Gateway gateway) {
        Properties stats = gateway.data().execute((RedisCallback<Properties>)
                (RedisConnection connection) -> connection.serverCommands().info("commandstats"));
        String line = stats.getProperty("cmdstat_evalsha", "calls=0,");
        return Long.parseLong(line.substring("calls=".length(), line.indexOf(',')));
    }
}
