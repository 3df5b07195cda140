package io.delayqueue.gateway.sqs.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.TopicStats;
import io.delayqueue.gateway.claim.PullConsumers;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.RawConnection;
import io.delayqueue.gateway.testsupport.VirtualThreads;
import io.delayqueue.gateway.testsupport.WaitingClients;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Many SQS clients that wait for messages cost memory, and no threads. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class ManyWaitsTests {

    private static final int CLIENTS = 1_000;

    private interface Threads {
        long count() throws Exception;
    }

    @Test
    void thousandWaitingClientsHoldNoThread(EmbeddedRedis redis) throws Exception {
        wait(redis, () -> ManagementFactory.getThreadMXBean().getThreadCount(), "server.tomcat.threads.max=10");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void thousandWaitingClientsHoldNoVirtualThread(EmbeddedRedis redis, @TempDir Path folder) throws Exception {
        wait(redis, () -> VirtualThreads.count(folder), "spring.threads.virtual.enabled=true");
    }

    private static void wait(EmbeddedRedis redis, Threads threads, String property) throws Exception {
        List<RawConnection> clients = new ArrayList<>();
        try (OpenSqs sqs = OpenSqs.start(redis, property)) {
            sqs.create("waiting");
            assertThat(sqs.receive("waiting", 0).status()).isEqualTo(200);
            long heapBefore = usedHeap();
            long threadsBefore = threads.count();
            String request = OpenSqs.raw(
                    "ReceiveMessage", OpenSqs.receiveBody("waiting", 20, 600).replace("Messages':10", "Messages':1"));
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(new RawConnection(sqs.gateway().port()));
            }
            // each waits for 20 s
            for (RawConnection client : clients) {
                client.send(request);
            }
            PullConsumers consumers =
                    sqs.gateway().context().getBean(SqsConsumers.class).of("waiting");
            int waiting = WaitingClients.await(consumers, "waiting", CLIENTS);
            long more = threads.count() - threadsBefore;
            // others are connected, too: the figure is too high then, not too low
            long heap = (usedHeap() - heapBefore) / waiting;
            System.out.printf(
                    "%d waiting SQS clients: %d more threads, %d bytes of heap a client%n", waiting, more, heap);
            assertThat(more).isLessThan(50);
            assertThat(heap).isLessThan(250_000);

            List<OutgoingMessage> messages = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                messages.add(
                        OutgoingMessage.to("waiting").payload(new byte[] {'x'}).build());
            }
            assertThat(sqs.client().scheduleAll(messages)).hasSize(CLIENTS);
            for (RawConnection client : clients) {
                assertThat(client.readHead()).startsWith("HTTP/1.1 200");
            }
            // on a slow machine, the wait of the first ones has ended before
            TopicStats stats = sqs.client().stats("waiting");
            assertThat(stats.inFlight() + stats.pending().ready()).isEqualTo(CLIENTS);
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
}
