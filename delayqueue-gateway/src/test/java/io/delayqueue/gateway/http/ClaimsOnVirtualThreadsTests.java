package io.delayqueue.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.testsupport.Gateway;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.lang.management.ManagementFactory;
import java.lang.management.PlatformManagedObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
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
            long before = virtualThreads(folder);
            for (int i = 0; i < CLIENTS; i++) {
                RawConnection client = new RawConnection(gateway.port());
                client.post("/topics/orders/claims", "{\"wait\": 60}");
                clients.add(client);
            }
            PullConsumers consumers = gateway.context().getBean(PullConsumers.class);
            await().atMost(Duration.ofSeconds(60)).until(() -> consumers.callsUnderWay("orders") == CLIENTS);

            // those that began the last waits may not have ended yet
            await().atMost(Duration.ofSeconds(60)).until(() -> virtualThreads(folder) - before < CLIENTS / 20);
            assertThat(consumers.callsUnderWay("orders")).isGreaterThan(CLIENTS / 2);
        } finally {
            for (RawConnection client : clients) {
                client.close();
            }
        }
    }

    /** By reflection, since Java 17 compiles this, too. */
    private static long virtualThreads(Path folder) throws Exception {
        Class<? extends PlatformManagedObject> type =
                Class.forName("com.sun.management.HotSpotDiagnosticMXBean").asSubclass(PlatformManagedObject.class);
        Class<?> format = Class.forName("com.sun.management.HotSpotDiagnosticMXBean$ThreadDumpFormat");
        Path dump = folder.resolve("threads" + System.nanoTime());
        type.getMethod("dumpThreads", String.class, format)
                .invoke(
                        ManagementFactory.getPlatformMXBean(type),
                        dump.toString(),
                        format.getField("TEXT_PLAIN").get(null));
        try (Stream<String> lines = Files.lines(dump)) {
            return lines.filter(line -> line.startsWith("#") && line.contains(" virtual"))
                    .count();
        }
    }
}
