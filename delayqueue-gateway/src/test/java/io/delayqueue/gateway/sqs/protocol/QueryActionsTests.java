package io.delayqueue.gateway.sqs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.OutgoingMessage;
import io.delayqueue.PullConsumer;
import io.delayqueue.PullOptions;
import io.delayqueue.gateway.testsupport.OpenSqs;
import io.delayqueue.test.EmbeddedRedis;
import io.delayqueue.test.EmbeddedRedisExtension;
import java.io.StringReader;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** Actions in the query protocol, written as clients write them. Which elements an answer has is that of SQS' own description. */
@Tag("slow")
@ExtendWith(EmbeddedRedisExtension.class)
class QueryActionsTests {

    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final String DEAD_ARN = "arn:aws:sqs:us-east-1:000000000000:orders-dead";

    private static OpenSqs sqs;

    @BeforeAll
    static void start(EmbeddedRedis redis) {
        sqs = OpenSqs.start(redis);
    }

    @AfterAll
    static void stop() {
        sqs.close();
    }

    /** The result of an action; the whole answer if it has none. */
    private static Element perform(String action, String form) throws Exception {
        OpenSqs.Reply reply = sqs.query("Action=" + action + "&Version=2012-11-05&" + form);
        assertThat(reply.status()).as("%s", reply).isEqualTo(200);
        Element answer = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(reply.response().body())))
                .getDocumentElement();
        assertThat(answer.getTagName()).isEqualTo(action + "Response");
        assertThat(answer.getElementsByTagName("RequestId").getLength()).isEqualTo(1);
        Node result = answer.getElementsByTagName(action + "Result").item(0);
        return result == null ? answer : (Element) result;
    }

    private static Element on(String queue, String action, String form) throws Exception {
        return perform(action, "QueueUrl=" + OpenSqs.url(queue) + "&" + form);
    }

    private static void assertNoResult(Element answer) {
        assertThat(answer.getTagName()).endsWith("Response");
        assertThat(answer.getChildNodes().getLength()).as("metadata only").isEqualTo(1);
    }

    private static List<Element> children(Element parent, String name) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .map(Element.class::cast)
                .filter(child -> child.getTagName().equals(name))
                .toList();
    }

    private static List<String> texts(Element parent, String name) {
        return children(parent, name).stream().map(Node::getTextContent).toList();
    }

    private static String text(Element parent, String name) {
        assertThat(texts(parent, name)).as(name).hasSize(1);
        return texts(parent, name).get(0);
    }

    /** The entries of a map whose elements have no element around them. */
    private static Map<String, String> entries(Element parent, String name, String key) {
        Map<String, String> entries = new TreeMap<>();
        children(parent, name).forEach(entry -> entries.put(text(entry, key), text(entry, "Value")));
        return entries;
    }

    private static void dieAll(int count) {
        List<OutgoingMessage> messages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            messages.add(OutgoingMessage.to("orders").payload(new byte[] {'x'}).build());
        }
        assertThat(sqs.client().scheduleAll(messages)).hasSize(count);
        try (PullConsumer consumer = sqs.client().pullConsumer("orders", PullOptions.defaults())) {
            for (int left = count; left > 0; ) {
                var received = consumer.receive(left, WAIT);
                received.forEach(message -> consumer.deadLetter(message.receipt(), "test"));
                left -= received.size();
            }
        }
    }

    private static List<Element> moves() throws Exception {
        return children(
                perform("ListMessageMoveTasks", "MaxResults=10&SourceArn=" + DEAD_ARN),
                "ListMessageMoveTasksResultEntry");
    }

    private static void awaitStatusOfLastMove(String status) {
        await().atMost(WAIT).until(() -> text(moves().get(0), "Status"), status::equals);
    }

    @Test
    void movesOfDeadLetters() throws Exception {
        perform("CreateQueue", "QueueName=orders-dead");
        perform("CreateQueue", "QueueName=orders");
        dieAll(30);
        String handle = text(
                perform("StartMessageMoveTask", "MaxNumberOfMessagesPerSecond=1&SourceArn=" + DEAD_ARN), "TaskHandle");

        Element running = moves().get(0);
        assertThat(text(running, "TaskHandle")).isEqualTo(handle);
        assertThat(text(running, "Status")).isEqualTo("RUNNING");
        assertThat(text(running, "SourceArn")).isEqualTo(DEAD_ARN);
        assertThat(text(running, "MaxNumberOfMessagesPerSecond")).isEqualTo("1");
        assertThat(text(running, "ApproximateNumberOfMessagesToMove")).isEqualTo("30");
        assertThat(Instant.ofEpochMilli(Long.parseLong(text(running, "StartedTimestamp"))))
                .isBetween(Instant.now().minusSeconds(600), Instant.now().plusSeconds(600));

        String moved =
                text(perform("CancelMessageMoveTask", "TaskHandle=" + handle), "ApproximateNumberOfMessagesMoved");
        assertThat(Integer.parseInt(moved)).isBetween(0, 29);
        awaitStatusOfLastMove("CANCELLED");
        perform("StartMessageMoveTask", "SourceArn=" + DEAD_ARN);
        awaitStatusOfLastMove("COMPLETED");
        assertThat(moves())
                .as("the latest first, with no handle of one that has ended")
                .allSatisfy(move -> assertThat(texts(move, "TaskHandle")).isEmpty())
                .extracting(move -> text(move, "Status"))
                .containsExactly("COMPLETED", "CANCELLED");
        assertThat(moves().stream()
                        .mapToInt(move -> Integer.parseInt(text(move, "ApproximateNumberOfMessagesMoved")))
                        .sum())
                .isEqualTo(30);
        assertThat(sqs.client().stats("orders").pending().ready()).isEqualTo(30);
    }

    @Test
    void attributesCountForMessagesAndReceives() throws Exception {
        perform("CreateQueue", "QueueName=orders&Attribute.1.Name=DelaySeconds&Attribute.1.Value=7000");
        on("orders", "SendMessage", "MessageBody=later");
        Instant now = sqs.client().stats("orders").time();
        assertThat(sqs.client().pending("orders").list(1).get(0).due())
                .isBetween(now.plusSeconds(7_000 - 600), now.plusSeconds(7_000));

        assertNoResult(on(
                "orders",
                "SetQueueAttributes",
                "Attribute.1.Name=DelaySeconds&Attribute.1.Value=2"
                        + "&Attribute.2.Name=ReceiveMessageWaitTimeSeconds&Attribute.2.Value=20"));
        assertThat(entries(
                        on(
                                "orders",
                                "GetQueueAttributes",
                                "AttributeName.1=DelaySeconds&AttributeName.2=ReceiveMessageWaitTimeSeconds"),
                        "Attribute",
                        "Name"))
                .isEqualTo(Map.of("DelaySeconds", "2", "ReceiveMessageWaitTimeSeconds", "20"));
        on("orders", "SendMessage", "MessageBody=soon");
        assertThat(children(on("orders", "ReceiveMessage", ""), "Message"))
                .as("a receive without a wait of its own")
                .singleElement()
                .satisfies(message -> assertThat(text(message, "Body")).isEqualTo("soon"));
    }

    @Test
    void tags() throws Exception {
        perform("CreateQueue", "QueueName=orders&Tag.1.Key=team&Tag.1.Value=a");
        assertNoResult(on(
                "orders",
                "TagQueue",
                "Tag.1.Key=stage&Tag.1.Value=test&Tag.2.Key=cost&Tag.2.Value=7+%40+home&Tag.3.Key=none&Tag.3.Value="));
        assertThat(entries(on("orders", "ListQueueTags", ""), "Tag", "Key"))
                .isEqualTo(Map.of("team", "a", "stage", "test", "cost", "7 @ home", "none", ""));
        assertNoResult(on("orders", "UntagQueue", "TagKey.1=team&TagKey.2=cost&TagKey.3=unknown"));
        assertThat(entries(on("orders", "ListQueueTags", ""), "Tag", "Key"))
                .isEqualTo(Map.of("stage", "test", "none", ""));
    }

    @Test
    void queuesPageByPage() throws Exception {
        List<String> urls = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            urls.add(text(perform("CreateQueue", "QueueName=paged-" + i), "QueueUrl"));
        }
        perform("CreateQueue", "QueueName=pages-of-another");
        List<List<String>> pages = new ArrayList<>();
        for (String next = ""; !next.isEmpty() || pages.isEmpty(); ) {
            Element page = perform("ListQueues", "QueueNamePrefix=paged-&MaxResults=2&NextToken=" + next);
            pages.add(texts(page, "QueueUrl"));
            next = texts(page, "NextToken").stream().findFirst().orElse("");
        }
        assertThat(pages).containsExactly(urls.subList(0, 2), urls.subList(2, 4), urls.subList(4, 5));
    }
}
