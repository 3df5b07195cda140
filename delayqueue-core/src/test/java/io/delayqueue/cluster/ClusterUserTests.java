package io.delayqueue.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.testsupport.DocumentedUser;
import io.delayqueue.testsupport.TestCluster;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The documented user needs each of its additional permissions on a Cluster; {@link ClusterTests} shows that they suffice. */
class ClusterUserTests {

    /** Without these only {@code ACL LOG} gets entries. */
    private static final Set<String> OPTIONAL = Set.of("+cluster|myid", "+client|setname");

    private static TestCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = TestCluster.start(1, false);
    }

    @AfterAll
    static void stopCluster() {
        cluster.close();
    }

    @Test
    void noPermissionIsMissing() {
        assertThat(missingWithout("+nothing")).isEmpty();
        cluster.assertNothingDenied();
    }

    @ParameterizedTest
    @MethodSource
    void eachMissingPermissionIsNamed(String permission) {
        String command = permission.substring(1).replace("sunsubscribe", "ssubscribe");

        assertThat(missingWithout(permission))
                .singleElement()
                .asString()
                .matches(command.replace("|", "\\|") + "( dq:\\*)?");
    }

    static Stream<String> eachMissingPermissionIsNamed() {
        Set<String> elsewhere = Set.copyOf(DocumentedUser.rules());
        List<String> more = DocumentedUser.rules(DocumentedUser.CLUSTER).stream()
                .filter(rule -> rule.startsWith("+") && !elsewhere.contains(rule) && !OPTIONAL.contains(rule))
                .toList();
        // servers before 7.0 broadcast wake-ups to all nodes
        return more.contains("+spublish")
                ? more.stream()
                : Stream.concat(more.stream(), Stream.of("+publish", "+subscribe"));
    }

    private static List<String> missingWithout(String permission) {
        DocumentedUser.createWithout(cluster.nodes().get(0).redis(), permission, DocumentedUser.CLUSTER);
        RedisClusterClient client = cluster.client();
        try (DelayQueueClient queue =
                DelayQueueClient.create(client, TestQueue.clientOptions().build())) {
            return queue.inspectServers().get(0).missingPermissions();
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
