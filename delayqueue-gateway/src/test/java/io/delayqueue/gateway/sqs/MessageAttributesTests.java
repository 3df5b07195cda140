package io.delayqueue.gateway.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

class MessageAttributesTests {

    private static final JsonMapper MAPPER = new JsonMapper();

    @Test
    void checksumOfANumberAsAwsAnswersIt() {
        assertThat(attributes("{'timestamp':{'StringValue':'1493147359900','DataType':'Number'}}")
                        .md5())
                .isEqualTo("235c5c510d26fb653d073faed50ae77c");
        assertThat(attributes("{'timestamp':{'StringValue':'1493147359901','DataType':'Number'}}")
                        .md5())
                .isEqualTo("994258b45346a2cc3f9cbb611aa7af30");
    }

    @Test
    void checksumHasTheFullCustomType() {
        assertThat(attributes("{'timestamp':{'StringValue':'1493147359900','DataType':'Number.java.lang.Long'}}")
                        .md5())
                .isEqualTo("2e2e4876d8e0bd6b8c2c8f556831c349");
    }

    @Test
    void checksumHasRawBytesAndSortedNames() {
        assertThat(attributes("{'b':{'BinaryValue':'/wAB','DataType':'Binary.gif'},'a':{'StringValue':'grüße',"
                                + "'DataType':'String'},'B.c':{'StringValue':'1.5','DataType':'Number'}}")
                        .md5())
                .isEqualTo("9747b3d316d7feae2b11d061b89736b6");
    }

    @Test
    void checksumOfABody() {
        assertThat(MessageAttributes.md5("This is a test message".getBytes(StandardCharsets.UTF_8)))
                .isEqualTo("fafb00f5732ab283681e124bf8747ed1");
    }

    @Test
    void treeIsReadAsItWasWritten() {
        MessageAttributes attributes = attributes(
                "{'b':{'BinaryValue':'/wAB','DataType':'Binary.gif'},'a':{'StringValue':'x','DataType':'String'}}");
        MessageAttributes read =
                MessageAttributes.ofTree(MAPPER.readTree(MAPPER.writeValueAsBytes(attributes.toTree())));
        assertThat(read.toTree()).isEqualTo(attributes.toTree());
        assertThat(read.md5()).isEqualTo(attributes.md5());
    }

    @Test
    void onlyTheAttributesAskedForAreSelected() {
        MessageAttributes attributes = attributes(
                "{'order.id':{'StringValue':'x','DataType':'String'},"
                        + "'order.type':{'StringValue':'x','DataType':'String'},'other':{'StringValue':'x','DataType':'String'}}");
        assertThat(attributes.select(List.of()).isEmpty()).isTrue();
        assertThat(attributes.select(List.of("order.*")).toTree().propertyNames())
                .containsExactly("order.id", "order.type");
        assertThat(attributes.select(List.of("other", "none")).toTree().propertyNames())
                .containsExactly("other");
        assertThat(attributes.select(List.of("All")).toTree().size()).isEqualTo(3);
        assertThat(attributes.select(List.of(".*")).toTree().size()).isEqualTo(3);
    }

    @Test
    void sizeHasNamesTypesAndRawValues() {
        assertThat(attributes("{'b':{'BinaryValue':'/wAB','DataType':'Binary'}}")
                        .size())
                .isEqualTo(1 + 6 + 3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'a':{}}",
                "{'a':{'StringValue':'x'}}",
                "{'a':{'DataType':'String'}}",
                "{'a':{'StringValue':'','DataType':'String'}}",
                "{'a':{'StringValue':'x','DataType':'Text'}}",
                "{'a':{'StringValue':'x','DataType':'Binary'}}",
                "{'a':{'BinaryValue':'*','DataType':'Binary'}}",
                "{'a':{'StringValue':'many','DataType':'Number'}}",
                "{'a':{'StringValue':'\\u0007','DataType':'String'}}",
                "{'aws.a':{'StringValue':'x','DataType':'String'}}",
                "{'a..b':{'StringValue':'x','DataType':'String'}}",
                "{'a b':{'StringValue':'x','DataType':'String'}}",
                "{'':{'StringValue':'x','DataType':'String'}}"
            })
    void invalidAttribute(String json) {
        assertThatExceptionOfType(SqsException.class).isThrownBy(() -> attributes(json));
    }

    @Test
    void messageIdIsAUuidThatDependsOnEachPart() {
        assertThat(MessageId.of("orders", "42", "abcdefgh"))
                .hasToString("8ac86b0b-98a2-532f-a099-5bcdd838dad8")
                .isNotEqualTo(MessageId.of("orders", "42", "abcdefgi"))
                .isNotEqualTo(MessageId.of("order", "s42", "abcdefgh"));
    }

    private static MessageAttributes attributes(String json) {
        ObjectNode tree = MAPPER.createObjectNode();
        tree.set("MessageAttributes", MAPPER.readTree(json.replace('\'', '"')));
        return MessageAttributes.of(new Parameters(tree).structureMap("MessageAttributes"));
    }
}
