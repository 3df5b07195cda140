package io.delayqueue.spring.actuate;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.convert.TypeDescriptor;
import org.springframework.core.convert.converter.GenericConverter;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Ids in a request: a text with a JSON array of strings, since Spring Boot takes no other values than strings in the body of an endpoint's
 * request. A type of its own, as Spring would split a text at its commas: an operation on the id {@code a,b} must not be one on
 * {@code a} and {@code b}.
 *
 * @param ids the ids as they were sent
 */
public record IdList(List<String> ids) {

    public IdList {
        ids = List.copyOf(ids);
    }

    /** Takes JSON arrays of strings, and lists of strings as over JMX. */
    public static final class FromText implements GenericConverter {

        @Override
        public Set<ConvertiblePair> getConvertibleTypes() {
            return Set.of(
                    new ConvertiblePair(Collection.class, IdList.class),
                    new ConvertiblePair(String.class, IdList.class));
        }

        @Override
        public @Nullable Object convert(@Nullable Object source, TypeDescriptor from, TypeDescriptor to) {
            List<String> ids = new ArrayList<>();
            if (source instanceof String text) {
                JsonNode array = JsonMapper.shared().readTree(text);
                require(array.isArray());
                for (JsonNode id : array) {
                    require(id.isString());
                    ids.add(id.asString());
                }
            } else if (source instanceof Collection<?> list) {
                for (Object id : list) {
                    require(id instanceof String);
                    ids.add(String.valueOf(id));
                }
            }
            return new IdList(ids);
        }

        private static void require(boolean isValid) {
            if (!isValid) {
                throw new IllegalArgumentException("ids must be a JSON array of strings");
            }
        }
    }
}
