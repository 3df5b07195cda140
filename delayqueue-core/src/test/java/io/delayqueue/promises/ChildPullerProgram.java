package io.delayqueue.promises;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueOptions;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.PulledMessage;
import io.delayqueue.Receipt;
import io.delayqueue.RedisUnavailableException;
import io.delayqueue.RetryOutcome;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.RedisClient;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Random;

/** Pulls messages until it is killed, settles each at random, and writes a line for each message and each answer. */
final class ChildPullerProgram {

    private static final Duration WAIT = Duration.ofSeconds(1);

    private final PullConsumer pull;
    private final Random random = new Random();

    private ChildPullerProgram(PullConsumer pull) {
        this.pull = pull;
    }

    /** Arguments: URI, lease in ms, threads. */
    public static void main(String[] args) throws IOException {
        DelayQueueClient queue = DelayQueueClient.create(
                RedisClient.create(args[0]),
                DelayQueueOptions.builder()
                        .guardInterval(Duration.ofMillis(200))
                        .build());
        PullConsumer pull = queue.pullConsumer(
                TestQueue.TOPIC,
                PullOptions.builder()
                        .lease(Duration.ofMillis(Long.parseLong(args[1])))
                        .build());
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            new Thread(new ChildPullerProgram(pull)::run).start();
        }
        System.out.println("@ ready -");
        // until the test ends
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(0);
    }

    private void run() {
        while (true) {
            try {
                for (PulledMessage pulled : pull.receive(1 + random.nextInt(10), WAIT)) {
                    say("got", pulled);
                    settle(pulled);
                }
            } catch (RedisUnavailableException e) {
                // a busy machine: the others of the answer come again after their leases
                System.err.println("puller: " + e.getMessage());
            }
        }
    }

    private void settle(PulledMessage pulled) {
        Receipt receipt = pulled.receipt();
        switch (random.nextInt(8)) {
            case 0 -> say(pull.release(receipt) ? "released" : "lost", pulled);
            case 1 ->
                say(
                        pull.retry(receipt, Duration.ofMillis(random.nextInt(50)), "at random") == RetryOutcome.RETRIED
                                ? "retried"
                                : "lost",
                        pulled);
            case 2 -> {
                pull.extend(receipt, Duration.ofSeconds(2));
                pull.changeLease(receipt, Duration.ofSeconds(1));
                ack(pulled);
            }
            default -> ack(pulled);
        }
    }

    private void ack(PulledMessage pulled) {
        say(pull.ack(pulled.receipt()) ? "acked" : "lost", pulled);
    }

    private static void say(String what, PulledMessage pulled) {
        System.out.println("@ " + what + " " + pulled.message().id());
    }
}
