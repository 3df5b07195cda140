package io.delayqueue.benchmarks.gateway;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.DeleteMessageBatchRequestEntry;
import software.amazon.awssdk.services.sqs.model.Message;
import software.amazon.awssdk.services.sqs.model.SendMessageBatchRequestEntry;

/** The AWS SDK for Java. */
final class SdkClient implements QueueClient {

    private final SqsClient sqs;
    private final String url;

    SdkClient(URI server, String queue) {
        sqs = SqsClient.builder()
                .endpointOverride(server)
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(GatewayServer.KEY, GatewayServer.SECRET)))
                .httpClient(UrlConnectionHttpClient.create())
                .build();
        url = sqs.createQueue(request -> request.queueName(queue)).queueUrl();
    }

    @Override
    public void send(int count, String body) {
        if (count == 1) {
            sqs.sendMessage(request -> request.queueUrl(url).messageBody(body));
            return;
        }
        List<SendMessageBatchRequestEntry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(SendMessageBatchRequestEntry.builder()
                    .id("e" + i)
                    .messageBody(body)
                    .build());
        }
        sqs.sendMessageBatch(request -> request.queueUrl(url).entries(entries));
    }

    @Override
    public int receiveAndDelete(int max, int waitSeconds) {
        List<Message> messages = sqs.receiveMessage(request ->
                        request.queueUrl(url).maxNumberOfMessages(max).waitTimeSeconds(waitSeconds))
                .messages();
        if (messages.size() == 1) {
            String handle = messages.get(0).receiptHandle();
            sqs.deleteMessage(request -> request.queueUrl(url).receiptHandle(handle));
        } else if (!messages.isEmpty()) {
            List<DeleteMessageBatchRequestEntry> entries = new ArrayList<>();
            for (int i = 0; i < messages.size(); i++) {
                entries.add(DeleteMessageBatchRequestEntry.builder()
                        .id("e" + i)
                        .receiptHandle(messages.get(i).receiptHandle())
                        .build());
            }
            sqs.deleteMessageBatch(request -> request.queueUrl(url).entries(entries));
        }
        return messages.size();
    }

    @Override
    public void close() {
        sqs.close();
    }
}
