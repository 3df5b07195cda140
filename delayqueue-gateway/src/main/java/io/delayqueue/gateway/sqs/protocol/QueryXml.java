package io.delayqueue.gateway.sqs.protocol;

import java.util.Map;
import tools.jackson.databind.JsonNode;

/** XML of the query protocol: lists and maps have no element around their items. */
final class QueryXml {

    private static final Map<String, String> ITEMS = Map.of(
            "Messages", "Message",
            "QueueUrls", "QueueUrl",
            "queueUrls", "QueueUrl",
            "Failed", "BatchResultErrorEntry",
            "Results", "ListMessageMoveTasksResultEntry");

    private static final Map<String, String> ENTRIES =
            Map.of("Attributes", "Attribute", "MessageAttributes", "MessageAttribute", "Tags", "Tag");

    private final String action;
    private final StringBuilder xml = new StringBuilder("<?xml version=\"1.0\"?>");

    QueryXml(String action) {
        this.action = action;
    }

    void open(String name) {
        xml.append('<').append(name).append('>');
    }

    void open(String name, String namespace) {
        xml.append('<').append(name).append(" xmlns=\"").append(namespace).append("\">");
    }

    void close(String name) {
        xml.append("</").append(name).append('>');
    }

    void text(String name, String value) {
        open(name);
        value.codePoints().forEach(this::character);
        close(name);
    }

    /** The properties of a structure as elements. */
    void structure(JsonNode structure) {
        for (Map.Entry<String, JsonNode> property : structure.properties()) {
            String name = property.getKey();
            JsonNode value = property.getValue();
            String entry = ENTRIES.get(name);
            if (entry != null) {
                value.properties().forEach(item -> entry(entry, item.getKey(), item.getValue()));
            } else if (value.isArray()) {
                value.values().forEach(item -> element(itemName(name), item));
            } else {
                element(name, value);
            }
        }
    }

    private String itemName(String list) {
        return list.equals("Successful") ? action + "ResultEntry" : ITEMS.getOrDefault(list, list);
    }

    private void entry(String name, String key, JsonNode value) {
        open(name);
        text(name.equals("Tag") ? "Key" : "Name", key);
        element("Value", value);
        close(name);
    }

    private void element(String name, JsonNode value) {
        if (value.isObject()) {
            open(name);
            structure(value);
            close(name);
        } else {
            text(name, value.asString());
        }
    }

    private void character(int c) {
        switch (c) {
            case '<' -> xml.append("&lt;");
            case '>' -> xml.append("&gt;");
            case '&' -> xml.append("&amp;");
            // A parser would turn it into a line feed.
            case '\r' -> xml.append("&#xD;");
            default -> xml.appendCodePoint(MessageCharacters.isAllowed(c) ? c : 0xFFFD);
        }
    }

    @Override
    public String toString() {
        return xml.toString();
    }
}
