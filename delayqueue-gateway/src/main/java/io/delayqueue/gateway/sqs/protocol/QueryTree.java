package io.delayqueue.gateway.sqs.protocol;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes the tree of the JSON protocol out of flat fields: {@code Attribute.1.Name=DelaySeconds&Attribute.1.Value=5} is an entry of the
 * map {@code Attributes}, {@code TagKey.1=a} an item of the list {@code TagKeys}.
 */
final class QueryTree {

    private static final Map<String, String> LISTS = Map.of(
            "AttributeName", "AttributeNames",
            "MessageAttributeName", "MessageAttributeNames",
            "MessageSystemAttributeName", "MessageSystemAttributeNames",
            "TagKey", "TagKeys",
            "ActionName", "Actions",
            "AWSAccountId", "AWSAccountIds",
            "SendMessageBatchRequestEntry", "Entries",
            "DeleteMessageBatchRequestEntry", "Entries",
            "ChangeMessageVisibilityBatchRequestEntry", "Entries");

    private static final Map<String, String> MAPS = Map.of(
            "Attribute", "Attributes",
            "MessageAttribute", "MessageAttributes",
            "MessageSystemAttribute", "MessageSystemAttributes",
            "Tag", "Tags");

    private final String action;
    private final Map<String, QueryTree> children = new TreeMap<>(QueryTree::byIndex);
    private @Nullable String value;

    private QueryTree(String action) {
        this.action = action;
    }

    static ObjectNode of(String action, Map<String, String> fields) {
        QueryTree root = new QueryTree(action);
        fields.forEach(root::put);
        return root.structure();
    }

    private void put(String name, String value) {
        String[] steps = name.split("\\.", -1);
        // SendMessageBatchRequestEntry.1.MessageAttribute.1.Value.StringListValue.1
        if (steps.length > 7) {
            throw new SqsException(SqsError.MALFORMED_INPUT, "A parameter has a name of more than 7 parts.");
        }
        QueryTree node = this;
        for (String step : steps) {
            node = node.children.computeIfAbsent(step, s -> new QueryTree(action));
        }
        node.value = value;
    }

    private ObjectNode structure() {
        ObjectNode structure = JsonNodeFactory.instance.objectNode();
        children.forEach((name, child) -> {
            String list = LISTS.get(name);
            String map = MAPS.get(name);
            if (list != null) {
                structure.set(list, child.list());
            } else if (map != null && !child.children.isEmpty()) {
                // SQS writes this one parameter small.
                boolean small = action.equals("CreateQueue") && map.equals("Tags");
                structure.set(small ? "tags" : map, child.map(name));
            } else if (child.value == null) {
                structure.set(name, child.structure());
            } else if (!child.value.isEmpty() || !isContainer(name)) {
                structure.put(name, child.value);
            }
        });
        return structure;
    }

    /** Clients write an empty list or map as an empty text, under its name in the JSON protocol. */
    private static boolean isContainer(String name) {
        return LISTS.containsValue(name) || MAPS.containsValue(name) || name.equals("tags");
    }

    private ArrayNode list() {
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        // AttributeName=All is as good as AttributeName.1=All.
        if (value != null) {
            list.add(value);
        }
        children.values().forEach(item -> {
            if (item.value != null) {
                list.add(item.value);
            } else {
                list.add(item.structure());
            }
        });
        return list;
    }

    private ObjectNode map(String name) {
        String keyName = name.equals("Tag") ? "Key" : "Name";
        ObjectNode map = JsonNodeFactory.instance.objectNode();
        children.forEach((index, entry) -> {
            QueryTree key = entry.children.get(keyName);
            QueryTree entryValue = entry.children.get("Value");
            if (key == null || key.value == null || entryValue == null) {
                throw new SqsException(
                        SqsError.MISSING_PARAMETER,
                        "The request must contain the parameters " + name + "." + index + "." + keyName + " and " + name
                                + "." + index + ".Value.");
            }
            if (entryValue.value != null) {
                map.put(key.value, entryValue.value);
            } else {
                map.set(key.value, entryValue.structure());
            }
        });
        return map;
    }

    /** Item 10 after item 2; names that are no numbers by themselves. */
    private static int byIndex(String one, String other) {
        boolean numbers = isIndex(one) && isIndex(other);
        int byLength = numbers ? Integer.compare(one.length(), other.length()) : 0;
        return byLength != 0 ? byLength : one.compareTo(other);
    }

    private static boolean isIndex(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return false;
            }
        }
        return !text.isEmpty();
    }
}
