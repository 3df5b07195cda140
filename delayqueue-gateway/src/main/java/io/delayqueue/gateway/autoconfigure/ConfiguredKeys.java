package io.delayqueue.gateway.autoconfigure;

import io.delayqueue.gateway.security.Caller;
import io.delayqueue.gateway.security.ReloadedFile;
import io.delayqueue.gateway.security.TopicRights;
import io.delayqueue.gateway.sqs.SqsProperties;
import io.delayqueue.gateway.sqs.endpoint.SqsCallers;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** The key pairs of SQS clients: those of properties, then those of a file, which may change. Safe for use by several threads. */
final class ConfiguredKeys {

    private final Map<String, SqsCallers.Key> ofProperties;
    private final @Nullable ReloadedFile<Map<String, SqsCallers.Key>> file;

    /**
     * The key pairs that properties tell.
     *
     * @throws InvalidConfigurationPropertyValueException if one is wrong, or the file can't be read
     */
    ConfiguredKeys(SqsProperties properties) {
        ofProperties = keys(properties.getKeys());
        Path path = properties.getKeyFile();
        try {
            file = path == null
                    ? null
                    : new ReloadedFile<>(
                            path, "key", SqsProperties.Key.class, ConfiguredKeys::ofFile, ReloadedFile.INTERVAL);
        } catch (IllegalArgumentException e) {
            throw new InvalidConfigurationPropertyValueException(
                    "delayqueue.gateway.sqs.key-file", path, String.valueOf(e.getMessage()));
        }
    }

    /** Whether there are none, nor a file that may have some. */
    boolean isEmpty() {
        return ofProperties.isEmpty() && file == null;
    }

    /** The key pair of an access key id; null if there is none now. */
    SqsCallers.@Nullable Key find(String id) {
        SqsCallers.Key key = ofProperties.get(id);
        return key != null || file == null ? key : file.get().get(id);
    }

    private static Map<String, SqsCallers.Key> ofFile(Map<String, SqsProperties.Key> keys) {
        try {
            keys.forEach(SqsPropertyRules::check);
        } catch (InvalidConfigurationPropertyValueException e) {
            throw new IllegalArgumentException(e.getName() + ": " + e.getReason());
        }
        return keys(keys);
    }

    private static Map<String, SqsCallers.Key> keys(Map<String, SqsProperties.Key> keys) {
        Map<String, SqsCallers.Key> byId = new HashMap<>();
        keys.forEach((id, key) -> byId.put(
                id,
                new SqsCallers.Key(
                        key.getSecret(), new Caller(id, new TopicRights(key.getRights(), key.getTopics())))));
        return Map.copyOf(byId);
    }
}
