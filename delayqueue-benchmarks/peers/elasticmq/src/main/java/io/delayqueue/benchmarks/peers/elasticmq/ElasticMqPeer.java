package io.delayqueue.benchmarks.peers.elasticmq;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import software.amazon.awssdk.auth.credentials.AnonymousCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/**
 * ElasticMQ by the AWS SDK: messages of a call in batches of ten, received and deleted in batches of ten, with waiting receives. Delays
 * are rounded up to whole seconds, and cut at SQS' 15 minutes.
 */
public final class ElasticMqPeer implements Peer {

    private static final int BATCH = 10;
    private static final Duration MAX_DELAY = Duration.ofMinutes(15);

    private final SqsClient sqs;
    private final int visibilitySeconds;
    private final Map<String, String> queues = new ConcurrentHashMap<>();

    /** Connects to the server. */
    public ElasticMqPeer(PeerSettings settings) {
        visibilitySeconds = Math.max(1, (int) settings.lease().toSeconds());
        sqs = SqsClient.builder()
                .endpointOverride(URI.create(settings.server()))
                .region(Region.US_EAST_1)
                .credentialsProvider(AnonymousCredentialsProvider.create())
                .httpClientBuilder(UrlConnectionHttpClient.builder())
                .build();
    }

    private String queue(String topic) {
        return queues.computeIfAbsent(
                topic,
                name -> sqs.createQueue(request -> request.queueName(name)).queueUrl());
    }

    @Override
    public void schedule(Outgoing message) {
        sqs.sendMessage(request -> request.queueUrl(queue(message.topic()))
                .messageBody(text(message))
                .delaySeconds(seconds(message)));
    }

    @Override
    public void scheduleAll(List<Outgoing> messages) {
        for (int from = 0; from < messages.size(); from += BATCH) {
            List<SendMessageBatchRequestEntry> entries =
                    messages.subList(from, Math.min(from + BATCH, messages.size())).stream()
                            .map(message -> SendMessageBatchRequestEntry.builder()
                                    .id(message.id())
                                    .messageBody(text(message))
                                    .delaySeconds(seconds(message))
                                    .build())
                            .toList();
            String queue = queue(messages.get(from).topic());
            if (sqs.sendMessageBatch(request -> request.queueUrl(queue).entries(entries))
                    .hasFailed()) {
                throw new IllegalStateException("not all messages were accepted");
            }
        }
    }

    private static String text(Outgoing message) {
        return new String(message.payload(), StandardCharsets.ISO_8859_1);
    }

    private static int seconds(Outgoing message) {
        Duration delay = message.delay().compareTo(MAX_DELAY) < 0 ? message.delay() : MAX_DELAY;
        return (int) delay.plusMillis(999).toSeconds();
    }

    /** A receiver handles what it received one after the other: more of them than there are connections gain nothing. */
    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        AtomicBoolean stopped = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (String topic : topics) {
            String queue = queue(topic);
            for (int i = 0; i < Math.min(concurrency, 16); i++) {
                threads.add(new Thread(
                        () -> {
                            while (!stopped.get()) {
                                receive(queue, handler);
                            }
                        },
                        "elasticmq"));
            }
        }
        threads.forEach(Thread::start);
        return () -> {
            stopped.set(true);
            for (Thread thread : threads) {
                thread.join();
            }
        };
    }

    private void receive(String queue, Handler handler) {
        List<Message> messages = sqs.receiveMessage(request -> request.queueUrl(queue)
                        .maxNumberOfMessages(BATCH)
                        .visibilityTimeout(visibilitySeconds)
                        .waitTimeSeconds(1))
                .messages();
        for (Message message : messages) {
            handler.handle(message.body().getBytes(StandardCharsets.ISO_8859_1), Handler.UNKNOWN_DUE);
        }
        if (!messages.isEmpty()) {
            List<DeleteMessageBatchRequestEntry> entries = messages.stream()
                    .map(message -> DeleteMessageBatchRequestEntry.builder()
                            .id(message.messageId())
                            .receiptHandle(message.receiptHandle())
                            .build())
                    .toList();
            sqs.deleteMessageBatch(request -> request.queueUrl(queue).entries(entries));
        }
    }

    @Override
    public void close() {
        sqs.close();
    }
}
