package io.delayqueue.gateway.sqs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class QueryProtocolTests {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String START = "<?xml version=\"1.0\"?>";
    private static final String NAMESPACE = " xmlns=\"http://queue.amazonaws.com/doc/2012-11-05/\">";

    private final QueryProtocol protocol = new QueryProtocol();

    @Test
    void simpleFields() {
        SqsRequest request = read("Action=SendMessage&Version=2012-11-05&MessageBody=a+b%26c%3D%C3%BC&DelaySeconds=5");
        assertThat(request.action()).isEqualTo("SendMessage");
        assertThat(request.parameters().required("MessageBody")).isEqualTo("a b&c=ü");
        assertThat(request.parameters().number("DelaySeconds", 0, 900)).isEqualTo(5);
    }

    @Test
    void actionInTheUrl() {
        SqsRequest request = protocol.read("Action=GetQueueUrl&QueueName=orders", new byte[0]);
        assertThat(request.action()).isEqualTo("GetQueueUrl");
        assertThat(request.parameters().text("QueueName")).isEqualTo("orders");
    }

    @Test
    void listsInTheOrderOfTheirNumbers() {
        SqsRequest request = read("Action=ReceiveMessage&AttributeName.10=c&AttributeName.2=b&AttributeName.1=a");
        assertThat(request.parameters().texts("AttributeNames")).containsExactly("a", "b", "c");
        assertThat(read("Action=ReceiveMessage&AttributeName=All").parameters().texts("AttributeNames"))
                .containsExactly("All");
    }

    /** As boto3 writes them. */
    @Test
    void emptyListsAndMaps() {
        SqsRequest request = read("Action=SendMessageBatch&Entries=&Attributes=&AttributeNames=&QueueUrl=");
        assertThat(request.parameters().structures("Entries")).isEmpty();
        assertThat(request.parameters().textMap("Attributes")).isEmpty();
        assertThat(request.parameters().texts("AttributeNames")).isEmpty();
        assertThat(request.parameters().text("QueueUrl")).isEmpty();
    }

    @Test
    void maps() {
        SqsRequest request = read("Action=CreateQueue&Attribute.1.Name=DelaySeconds&Attribute.1.Value=5"
                + "&Attribute.2.Name=Policy&Attribute.2.Value=&Tag.1.Key=team&Tag.1.Value=red");
        assertThat(request.parameters().textMap("Attributes")).isEqualTo(Map.of("DelaySeconds", "5", "Policy", ""));
        assertThat(request.parameters().textMap("tags")).isEqualTo(Map.of("team", "red"));
        assertThat(read("Action=TagQueue&Tag.1.Key=team&Tag.1.Value=red")
                        .parameters()
                        .textMap("Tags"))
                .isEqualTo(Map.of("team", "red"));
    }

    @Test
    void entriesOfABatch() {
        List<Parameters> entries = read("Action=SendMessageBatch"
                        + "&SendMessageBatchRequestEntry.2.Id=two&SendMessageBatchRequestEntry.2.MessageBody=b"
                        + "&SendMessageBatchRequestEntry.1.Id=one&SendMessageBatchRequestEntry.1.MessageBody=a"
                        + "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Name=n"
                        + "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringValue=v"
                        + "&SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.DataType=String")
                .parameters()
                .structures("Entries");
        assertThat(entries).extracting(entry -> entry.text("Id")).containsExactly("one", "two");
        Parameters value = entries.get(0).structureMap("MessageAttributes").get("n");
        assertThat(value).isNotNull();
        assertThat(value.text("StringValue")).isEqualTo("v");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Action=",
                "Version=2012-11-05",
                "Action=A&x=%zz",
                "Action=A&a.b.c.d.e.f.g.h=1",
                "Action=A&Attribute.1.Name=x",
                "Action=A&Attribute.1.Value=x",
                "Action=A&Attribute.1.Name.2=x&Attribute.1.Value=y"
            })
    void malformed(String form) {
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> read(form))
                .satisfies(e -> assertThat(e.error().isSenderFault()).isTrue());
    }

    @Test
    void numberOfFieldsIsBounded() {
        StringBuilder form = new StringBuilder("Action=A");
        for (int i = 0; i < 100_000; i++) {
            form.append("&f").append(i).append("=1");
        }
        assertThatExceptionOfType(SqsException.class)
                .isThrownBy(() -> read(form.toString()))
                .withMessageContaining("1000");
    }

    @Test
    void receivedMessages() {
        assertThat(written("ReceiveMessage", """
                {"Messages":[{"MessageId":"i","ReceiptHandle":"r","MD5OfBody":"m","Body":"<a>&\\r\\n\\u0007",
                 "Attributes":{"SentTimestamp":"1"},
                 "MessageAttributes":{"n":{"StringValue":"v","DataType":"String"}}},{"MessageId":"j"}]}"""))
                .isEqualTo(START + "<ReceiveMessageResponse" + NAMESPACE
                        + "<ReceiveMessageResult><Message><MessageId>i</MessageId><ReceiptHandle>r</ReceiptHandle>"
                        + "<MD5OfBody>m</MD5OfBody><Body>&lt;a&gt;&amp;&#xD;\n\uFFFD</Body>"
                        + "<Attribute><Name>SentTimestamp</Name><Value>1</Value></Attribute>"
                        + "<MessageAttribute><Name>n</Name><Value><StringValue>v</StringValue><DataType>String</DataType>"
                        + "</Value></MessageAttribute></Message><Message><MessageId>j</MessageId></Message>"
                        + "</ReceiveMessageResult><ResponseMetadata><RequestId>q</RequestId></ResponseMetadata>"
                        + "</ReceiveMessageResponse>");
    }

    @Test
    void resultsOfABatch() {
        assertThat(
                        written(
                                "DeleteMessageBatch",
                                "{\"Successful\":[{\"Id\":\"a\"}],\"Failed\":[{\"Id\":\"b\",\"SenderFault\":true,\"Code\":\"c\"}]}"))
                .contains("<DeleteMessageBatchResultEntry><Id>a</Id></DeleteMessageBatchResultEntry>"
                        + "<BatchResultErrorEntry><Id>b</Id><SenderFault>true</SenderFault><Code>c</Code>"
                        + "</BatchResultErrorEntry>");
    }

    @Test
    void queueUrlsAndTags() {
        assertThat(written("ListQueues", "{\"QueueUrls\":[\"a\",\"b\"]}"))
                .contains("<ListQueuesResult><QueueUrl>a</QueueUrl><QueueUrl>b</QueueUrl></ListQueuesResult>");
        assertThat(written("ListQueueTags", "{\"Tags\":{\"k\":\"v\"}}"))
                .contains("<Tag><Key>k</Key><Value>v</Value></Tag>");
    }

    @Test
    void error() {
        SqsAnswer answer = protocol.error(new SqsException(SqsError.QUEUE_DOES_NOT_EXIST, "No <queue>."), "q");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.headers()).containsEntry("x-amzn-RequestId", "q");
        assertThat(new String(answer.body(), StandardCharsets.UTF_8))
                .isEqualTo(START + "<ErrorResponse" + NAMESPACE + "<Error><Type>Sender</Type>"
                        + "<Code>AWS.SimpleQueueService.NonExistentQueue</Code><Message>No &lt;queue&gt;.</Message>"
                        + "<Detail></Detail></Error><RequestId>q</RequestId></ErrorResponse>");
    }

    private SqsRequest read(String form) {
        return protocol.read(null, form.getBytes(StandardCharsets.UTF_8));
    }

    private String written(String action, String json) {
        SqsAnswer answer = protocol.result(action, (ObjectNode) MAPPER.readTree(json), "q");
        return new String(answer.body(), StandardCharsets.UTF_8);
    }
}
