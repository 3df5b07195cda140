package io.delayqueue.gateway.sqs.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.TopicStats;
import io.delayqueue.gateway.sqs.action.SqsConsumers;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.gateway.testsupport.Programs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Programs that use boto3, sqs-consumer, the AWS SDK for Java or Spring Cloud AWS are killed between a receive and its deletes, and a boto3
 * while it sends. By what they were told: each message whose send was answered is handled, none comes early, and none comes again within
 * its visibility timeout or after its delete.
 */
@ExtendWith(EmbeddedRedisExtension.class)
class KilledWorkersTests {

    /** The queue's, and longer than the delivery lease: messages are claimed with it, and not extended by most receives. */
    private static final int VISIBILITY_SECONDS = 6;

    /** A twentieth of it may be over when an answer is written. */
    private static final Duration LEAST_VISIBILITY = Duration.ofMillis(5_700);

    private static final int WORKERS = 4;
    private static final String QUEUE = "killed-workers";
    private static final String SENDER = "sender";

    private final AtomicBoolean over = new AtomicBoolean();
    private final Map<String, Integer> deaths = new ConcurrentHashMap<>();
    private final ToldSteps steps = new ToldSteps(LEAST_VISIBILITY);
    private final List<Thread> threads = new ArrayList<>();
    private final Random random = new Random(20_261_127);

    /** Messages that the workers may still get before the next one of them dies. Guarded by this object. */
    private int untilDeath = 5;

    @Test
    @Tag("slow")
    @Timeout(300)
    void eachMessageThatWasSentIsHandled(EmbeddedRedis redis) throws Exception {
        play(redis, 60, 7);
    }

    @Test
    @Tag("soak")
    @Timeout(600)
    void eachOfManyMessagesIsHandled(EmbeddedRedis redis) throws Exception {
        play(redis, 400, 20);
    }

    /**
     * Whether a worker dies that got a message: each at its first one, as some start slowly, and then every fifth to twelfth time, however
     * the messages are shared among the workers.
     */
    private synchronized boolean isDeadly(String name) {
        if (!deaths.containsKey(name)) {
            return true;
        }
        untilDeath--;
        if (untilDeath > 0) {
            return false;
        }
        untilDeath = 5 + random.nextInt(8);
        return true;
    }

    /**
     * A program, whose lines are told to the ledger until it ends.
     *
     * @param deadly whether it dies at a line between two steps
     */
    private void run(String name, List<String> command, BooleanSupplier deadly)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("no_proxy", "127.0.0.1");
        builder.environment().put("NODE_NO_WARNINGS", "1");
        Process process = builder.start();
        boolean killed = false;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                steps.told(line);
                boolean isBetween = line.startsWith("got") || line.startsWith("sending");
                if (!killed && (over.get() || isBetween && deadly.getAsBoolean())) {
                    // by its handle: what it told before is still to be read
                    killed = process.toHandle().destroyForcibly();
                    deaths.merge(name, 1, Integer::sum);
                }
            }
        } finally {
            process.destroyForcibly();
            process.waitFor(1, TimeUnit.MINUTES);
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private Thread start(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (Exception e) {
                steps.violation("a program could not be run: " + e);
            }
        });
        thread.start();
        threads.add(thread);
        return thread;
    }

    private void startWorker(String name, List<String> command) {
        start(() -> {
            while (!over.get()) {
                run(name, command, () -> isDeadly(name));
            }
        });
    }

    private static List<String> java(Class<?> program, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(arguments);
        return command;
    }

    private void play(EmbeddedRedis redis, int messages, int leastDeaths) throws Exception {
        String python = Programs.pythonWithBoto3();
        String script =
                Path.of("src/test/python/sqs_worker.py").toAbsolutePath().toString();
        Path node = Programs.installed(Path.of("src/test/node/sqs"), Path.of("target/node/sqs"));
        try (OpenSqs sqs = OpenSqs.start(redis, "delayqueue.gateway.sqs.delivery-lease=5s")) {
            sqs.create(QUEUE, VISIBILITY_SECONDS);
            String endpoint = "http://127.0.0.1:" + sqs.gateway().port();
            List<String> worker = List.of(
                    python, script, endpoint, endpoint + "/000000000000/" + QUEUE, String.valueOf(VISIBILITY_SECONDS));
            List<String> consumer = new ArrayList<>(worker);
            consumer.set(0, "node");
            consumer.set(1, node.resolve("worker.mjs").toAbsolutePath().toString());
            List<String> arguments = worker.subList(2, worker.size());
            startWorker("sqs-consumer", consumer);
            startWorker("boto3", worker);
            startWorker("AWS SDK for Java", java(SdkWorker.class, arguments));
            startWorker("Spring Cloud AWS", java(ListenerWorker.class, arguments));
            try {
                // each of them gets one of the first messages
                SqsConsumers consumers = sqs.gateway().context().getBean(SqsConsumers.class);
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> consumers.of(QUEUE).callsUnderWay(QUEUE) == WORKERS);
                Thread sender = start(() -> {
                    // one that was killed is followed by one that goes on behind it
                    for (int next = 0; next < messages; next = steps.nextNumber()) {
                        List<String> command = new ArrayList<>(worker);
                        command.addAll(List.of(String.valueOf(next), String.valueOf(messages - next)));
                        Random ofSender = new Random(next);
                        run(SENDER, command, () -> !deaths.containsKey(SENDER) || ofSender.nextDouble() < 0.02);
                    }
                });
                sender.join(Duration.ofMinutes(5).toMillis());
                assertThat(sender.isAlive()).isFalse();
                TopicStats drained = await().atMost(Duration.ofMinutes(2))
                        .until(
                                () -> sqs.client().stats(QUEUE),
                                stats -> stats.totals().accepted()
                                        == stats.totals().acked());
                over.set(true);
                // a worker that waits for messages is told of one
                assertThat(drained.unaccounted()).isZero();
                assertThat(drained.dead()).isZero();
                int all = deaths.values().stream().mapToInt(Integer::intValue).sum();
                // a program's last lines may still be unread
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> steps.check(drained.totals().accepted(), all));
                System.out.println("Deaths: " + deaths);
                assertThat(deaths).as("programs that were killed").hasSize(WORKERS + 1);
                assertThat(all).as("deaths").isGreaterThanOrEqualTo(leastDeaths);
            } finally {
                over.set(true);
                for (int i = 0; i < WORKERS * 5; i++) {
                    sqs.send(QUEUE, "last");
                }
                for (Thread thread : threads) {
                    thread.join(Duration.ofMinutes(1).toMillis());
                }
            }
        }
    }
}
