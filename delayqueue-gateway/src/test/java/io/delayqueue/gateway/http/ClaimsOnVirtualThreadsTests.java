package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.gateway.testsupport.VirtualThreads;
import io.delayqueue.gateway.testsupport.WaitingClients;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Clients that wait hold no virtual thread either: the server runs on these. */
@Tag("slow")
@EnabledForJreRange(min = JRE.JAVA_21)
@ExtendWith(EmbeddedRedisExtension.class)
class ClaimsOnVirtualThreadsTests {

    private static final int CLIENTS = 1_000;

    @Test
    void thousandWaitingClientsHoldNoVirtualThread(EmbeddedRedis redis, @TempDir Path folder) throws Exception {
        List<RawConnection> clients = new ArrayList<>();
        try (Gateway gateway = Gateway.start(redis, "spring.threads.virtual.enabled=true")) {
            assertThat(gateway.send("POST", "/topics/orders/claims", "{}").status())
                    .isEqualTo(200);
            long before = VirtualThreads.count(folder);
            for (int i = 0; i < CLIENTS; i++) {
                RawConnection client = new RawConnection(gateway.port());
                client.post("/topics/orders/claims", "{\"wait\": 60}");
                clients.add(client);
            }
            PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
            WaitingClients.await(consumers, "orders", CLIENTS);

            // those that began the last waits may not have ended yet
            await().atMost(Duration.ofSeconds(60)).until(() -> VirtualThreads.count(folder) - before < CLIENTS / 20);
            assertThat(consumers.callsUnderWay("orders")).isGreaterThan(CLIENTS / 2);
        } finally {
            for (RawConnection client : clients) {
                client.close();
            }
        }
    }
}
