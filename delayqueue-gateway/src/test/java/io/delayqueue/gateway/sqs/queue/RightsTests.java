package io.delayqueue.gateway.sqs.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.gateway.testsupport.SqsGateway;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;
import software.amazon.awssdk.services.sqs.model.SqsException;

/** Each action needs the right that the table in the documentation says, on the topic of its queue. */
@ExtendWith(EmbeddedRedisExtension.class)
class RightsTests {

    private static final Pattern ROW = Pattern.compile("^\\| (`[A-Z][^|]*) \\| ([a-z, ]+) \\|$", Pattern.MULTILINE);
    private static final Pattern ACTION = Pattern.compile("`(\\w+)`");
    private static final String ARN = "arn:aws:sqs:us-east-1:000000000000:orders-dead";

    private static SqsGateway gateway;
    private static Map<String, SqsClient> clients;
    private static String url;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        List<String> rights = List.of("produce", "consume", "operate");
        gateway = SqsGateway.start(
                redis,
                rights.stream()
                        .flatMap(right -> List.of(
                                "delayqueue.gateway.sqs.keys." + right + ".secret=" + right,
                                "delayqueue.gateway.sqs.keys." + right + ".rights=" + right,
                                "delayqueue.gateway.sqs.keys." + right + ".topics=orders*",
                                "delayqueue.gateway.sqs.keys.other-" + right + ".secret=" + right,
                                "delayqueue.gateway.sqs.keys.other-" + right + ".rights=produce,consume,operate",
                                "delayqueue.gateway.sqs.keys.other-" + right + ".topics=orde,xorders,reminder")
                                .stream())
                        .toArray(String[]::new));
        clients = new LinkedHashMap<>();
        for (String right : rights) {
            clients.put(right, SqsGateway.client(gateway.gateway(), right, right));
        }
        clients.put("other", SqsGateway.client(gateway.gateway(), "other-produce", "produce"));
    }

    @BeforeEach
    void createQueues() {
        url = gateway.create("orders");
        gateway.create("orders-dead");
    }

    @AfterAll
    static void stop() {
        clients.values().forEach(SqsClient::close);
        gateway.close();
    }

    private static Map<String, Consumer<SqsClient>> actions() {
        Map<String, Consumer<SqsClient>> actions = new TreeMap<>();
        actions.put("CreateQueue", sqs -> sqs.createQueue(r -> r.queueName("orders-new")));
        actions.put("DeleteQueue", sqs -> sqs.deleteQueue(r -> r.queueUrl(url + "-dead")));
        actions.put("GetQueueUrl", sqs -> sqs.getQueueUrl(r -> r.queueName("orders")));
        actions.put("GetQueueAttributes", sqs -> sqs.getQueueAttributes(r -> r.queueUrl(url)));
        actions.put(
                "SetQueueAttributes",
                sqs -> sqs.setQueueAttributes(
                        r -> r.queueUrl(url).attributes(Map.of(QueueAttributeName.DELAY_SECONDS, "0"))));
        actions.put("TagQueue", sqs -> sqs.tagQueue(r -> r.queueUrl(url).tags(Map.of("a", "b"))));
        actions.put("UntagQueue", sqs -> sqs.untagQueue(r -> r.queueUrl(url).tagKeys("a")));
        actions.put("ListQueueTags", sqs -> sqs.listQueueTags(r -> r.queueUrl(url)));
        actions.put("SendMessage", sqs -> sqs.sendMessage(r -> r.queueUrl(url).messageBody("x")));
        actions.put(
                "SendMessageBatch",
                sqs -> sqs.sendMessageBatch(
                        r -> r.queueUrl(url).entries(e -> e.id("a").messageBody("x"))));
        actions.put("ReceiveMessage", sqs -> {
            sqs.receiveMessage(r -> r.queueUrl(url).visibilityTimeout(0));
            sqs.receiveMessage(r -> r.queueUrl(url + "-dead"));
        });
        actions.put(
                "DeleteMessage", sqs -> sqs.deleteMessage(r -> r.queueUrl(url).receiptHandle("garbage")));
        actions.put(
                "DeleteMessageBatch",
                sqs -> sqs.deleteMessageBatch(
                        r -> r.queueUrl(url).entries(e -> e.id("a").receiptHandle("garbage"))));
        actions.put(
                "ChangeMessageVisibility",
                sqs -> sqs.changeMessageVisibility(
                        r -> r.queueUrl(url).receiptHandle("garbage").visibilityTimeout(1)));
        actions.put(
                "ChangeMessageVisibilityBatch",
                sqs -> sqs.changeMessageVisibilityBatch(r -> r.queueUrl(url)
                        .entries(e -> e.id("a").receiptHandle("garbage").visibilityTimeout(1))));
        actions.put("PurgeQueue", sqs -> sqs.purgeQueue(r -> r.queueUrl(url)));
        actions.put(
                "ListDeadLetterSourceQueues", sqs -> sqs.listDeadLetterSourceQueues(r -> r.queueUrl(url + "-dead")));
        actions.put("StartMessageMoveTask", sqs -> sqs.startMessageMoveTask(r -> r.sourceArn(ARN)));
        actions.put("ListMessageMoveTasks", sqs -> sqs.listMessageMoveTasks(r -> r.sourceArn(ARN)));
        actions.put(
                "CancelMessageMoveTask",
                sqs -> sqs.cancelMessageMoveTask(r -> r.taskHandle(java.util.Base64.getUrlEncoder()
                        .encodeToString(("x " + ARN).getBytes(java.nio.charset.StandardCharsets.UTF_8)))));
        return actions;
    }

    /** Rights by the action, of the documentation. */
    private static Map<String, Set<String>> documented() throws Exception {
        String page = Files.readString(Path.of("../docs/sqs.md"));
        int start = page.indexOf("\n## Rights\n");
        String section = page.substring(start, page.indexOf("\n## ", start + 1));
        Map<String, Set<String>> documented = new TreeMap<>();
        Matcher rows = ROW.matcher(section);
        while (rows.find()) {
            Set<String> rights = rows.group(2).strip().equals("any")
                    ? Set.of("produce", "consume", "operate")
                    : Set.of(rows.group(2).strip().split(" or |, "));
            ACTION.matcher(rows.group(1)).results().forEach(action -> documented.put(action.group(1), rights));
        }
        return documented;
    }

    /** Whether the action is not denied; that it fails otherwise does not matter. */
    private static boolean isAllowed(Consumer<SqsClient> action, SqsClient client) {
        try {
            action.accept(client);
            return true;
        } catch (SqsException e) {
            return !e.awsErrorDetails().errorCode().equals("AccessDenied");
        }
    }

    @Test
    void eachActionNeedsTheRightThatThePageSays() throws Exception {
        Map<String, Set<String>> found = new TreeMap<>();
        actions().forEach((name, action) -> {
            Set<String> allowed = new TreeSet<>();
            clients.forEach((right, client) -> {
                if (isAllowed(action, client)) {
                    allowed.add(right);
                }
            });
            found.put(name, allowed);
        });
        Map<String, Set<String>> documented = documented();
        // which shows each caller the queues that it may use
        documented.remove("ListQueues");
        assertThat(found).isEqualTo(documented);
    }

    @Test
    void listHasOnlyTheQueuesOfTheCaller() {
        assertThat(clients.get("other").listQueues().queueUrls()).isEmpty();
        assertThat(clients.get("consume").listQueues().queueUrls()).contains(url);
    }

    @Test
    void attributesOfATopicThatOthersUseAreForItsOperators() {
        assertThat(gateway.client()
                        .scheduleAsync(io.delayqueue.OutgoingMessage.to("orders-java")
                                .payload(new byte[0])
                                .build())
                        .join()
                        .outcome())
                .isEqualTo(io.delayqueue.ScheduleOutcome.SCHEDULED);
        Consumer<SqsClient> create = sqs -> sqs.createQueue(
                r -> r.queueName("orders-java").attributes(Map.of(QueueAttributeName.DELAY_SECONDS, "900")));
        assertThat(isAllowed(create, clients.get("produce"))).isFalse();
        assertThat(isAllowed(create, clients.get("operate"))).isTrue();
        Consumer<SqsClient> createNew = sqs -> sqs.createQueue(
                r -> r.queueName("orders-fresh").attributes(Map.of(QueueAttributeName.DELAY_SECONDS, "900")));
        assertThat(isAllowed(createNew, clients.get("produce"))).isTrue();
    }
}
