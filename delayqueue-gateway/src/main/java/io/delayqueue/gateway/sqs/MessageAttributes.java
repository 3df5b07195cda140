package io.delayqueue.gateway.sqs;

import io.delayqueue.gateway.sqs.protocol.Parameters;
import io.delayqueue.gateway.sqs.protocol.SqsError;
import io.delayqueue.gateway.sqs.protocol.SqsException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The attributes of a message by their names. Immutable. */
public final class MessageAttributes {

    private static final byte TEXT = 1;
    private static final byte BYTES = 2;

    private final SortedMap<String, MessageAttribute> attributes;

    private MessageAttributes(SortedMap<String, MessageAttribute> attributes) {
        this.attributes = attributes;
    }

    /**
     * Reads the attributes of a request.
     *
     * @throws SqsException if SQS would refuse one
     */
    public static MessageAttributes of(Map<String, Parameters> parameters) {
        SortedMap<String, MessageAttribute> attributes = new TreeMap<>();
        parameters.forEach((name, value) -> {
            requireName(name);
            attributes.put(name, MessageAttribute.of(name, value));
        });
        return new MessageAttributes(attributes);
    }

    private static void requireName(String name) {
        boolean dots = name.startsWith(".") || name.endsWith(".") || name.contains("..");
        boolean reserved = name.regionMatches(true, 0, "aws.", 0, 4) || name.regionMatches(true, 0, "amazon.", 0, 7);
        if (dots || reserved || !name.matches("[A-Za-z0-9_.-]{1,256}")) {
            throw new SqsException(
                    SqsError.INVALID_PARAMETER_VALUE,
                    "Message attribute names have 1 to 256 of A-Z a-z 0-9 _ - . and no reserved prefix.");
        }
    }

    /**
     * The attributes that {@link #toTree()} wrote.
     *
     * @throws SqsException if the tree has anything else
     */
    public static MessageAttributes ofTree(JsonNode tree) {
        if (!(tree instanceof ObjectNode attributes)) {
            throw new SqsException(SqsError.INVALID_PARAMETER_VALUE, "The attributes are no JSON object.");
        }
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        all.set("all", attributes);
        return of(new Parameters(all).structureMap("all"));
    }

    /** The attributes as SQS' JSON has them. */
    public ObjectNode toTree() {
        ObjectNode tree = JsonNodeFactory.instance.objectNode();
        attributes.forEach((name, value) -> {
            ObjectNode attribute = tree.putObject(name);
            attribute.put(value.isBinary() ? "BinaryValue" : "StringValue", value.text());
            attribute.put("DataType", value.dataType());
        });
        return tree;
    }

    /**
     * Those that a client asks for.
     *
     * @param names names, {@code prefix.*}, {@code All} or {@code .*}
     */
    public MessageAttributes select(Collection<String> names) {
        SortedMap<String, MessageAttribute> selected = new TreeMap<>(attributes);
        selected.keySet().removeIf(name -> names.stream().noneMatch(wanted -> matches(wanted, name)));
        return new MessageAttributes(selected);
    }

    private static boolean matches(String wanted, String name) {
        boolean prefix = wanted.endsWith(".*") && name.startsWith(wanted.substring(0, wanted.length() - 2));
        return wanted.equals("All") || prefix || wanted.equals(name);
    }

    /** Whether there are none: a message then has no checksum of attributes. */
    public boolean isEmpty() {
        return attributes.isEmpty();
    }

    /** Names, types and values in bytes, as SQS counts them to a message's size. */
    public int size() {
        int size = 0;
        for (Map.Entry<String, MessageAttribute> entry : attributes.entrySet()) {
            MessageAttribute value = entry.getValue();
            size += utf8(entry.getKey()).length + utf8(value.dataType()).length + value.bytes().length;
        }
        return size;
    }

    /** SQS' checksum over names, full types and raw values, in the order of the names. */
    public String md5() {
        MessageDigest md5 = newMd5();
        attributes.forEach((name, value) -> {
            update(md5, utf8(name));
            update(md5, utf8(value.dataType()));
            md5.update(value.isBinary() ? BYTES : TEXT);
            update(md5, value.bytes());
        });
        return HexFormat.of().formatHex(md5.digest());
    }

    /** SQS' checksum of a body. */
    public static String md5(byte[] body) {
        return HexFormat.of().formatHex(newMd5().digest(body));
    }

    private static void update(MessageDigest md5, byte[] bytes) {
        md5.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
        md5.update(bytes);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static MessageDigest newMd5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has MD5", e);
        }
    }
}
