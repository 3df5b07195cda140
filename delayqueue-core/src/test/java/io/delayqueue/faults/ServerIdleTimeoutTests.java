package io.delayqueue.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.RedisTime;
import io.delayqueue.testsupport.fleet.Fleet;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The server closes connections that were idle for a second ({@code timeout}), as some managed services do. */
class ServerIdleTimeoutTests {

    /** The guard interval is an hour; a busy machine takes some seconds. */
    private static final Duration LATEST = Duration.ofSeconds(8);

    @RegisterExtension
    final ProxiedQueues queues = new ProxiedQueues();

    private final Map<String, Duration> lateness = new ConcurrentHashMap<>();

    @Test
    void messageThatFallsDueAfterItsConnectionWasClosedIsOnTime() {
        DelayQueueClient queue = queues.queue(options -> options);
        queues.redis().configSet("timeout", "1");
        ProxiedQueues.consume(
                queue,
                Duration.ofMinutes(1),
                (message, delivery) -> lateness.put(
                        message.id(),
                        Duration.between(message.due(), RedisTime.instant(RedisTime.micros(queues.redis())))));
        queue.schedule(ProxiedQueues.message("after five seconds")
                .delay(Duration.ofSeconds(5))
                .build());
        Fleet.await().until(() -> !queues.redis().pubsubChannels().isEmpty());
        long before = connectionsReceived();
        Set<String> former = commandConnections();
        assertThat(former).isNotEmpty();

        // each look keeps the connection of the test alive
        Fleet.await().until(() -> Collections.disjoint(commandConnections(), former));
        Fleet.await().until(() -> connectionsReceived() > before);
        queue.schedule(ProxiedQueues.message("right then").build());

        Fleet.await().until(() -> lateness.size() == 2);
        assertThat(lateness.values()).allMatch(late -> late.compareTo(LATEST) < 0);
        assertThat(ProxiedQueues.awaitDrained(queues.straightQueue()).totals().acked())
                .isEqualTo(2);
    }

    /** Ids of those that subscribe nothing, without the test's own. */
    private Set<String> commandConnections() {
        String own = "id=" + queues.redis().clientId();
        return queues.redis()
                .clientList()
                .lines()
                .filter(line -> line.contains(" sub=0 "))
                .map(line -> line.split(" ")[0])
                .filter(id -> !id.equals(own))
                .collect(Collectors.toSet());
    }

    private long connectionsReceived() {
        return queues.redis()
                .info("stats")
                .lines()
                .filter(line -> line.startsWith("total_connections_received:"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(':') + 1)))
                .sum();
    }
}
