package io.delayqueue.spring;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.TypeFactory;
import tools.jackson.databind.util.ClassUtil;

/**
 * The types that payloads are written as. A {@code List<Shape>} does not know at run time that it is one of shapes, so Jackson
 * leaves out the type information ({@link JsonTypeInfo}) that reading a {@code List<Shape>} needs. This finds it by the elements.
 */
final class JsonPayloadTypes {

    private final JsonMapper mapper;

    JsonPayloadTypes(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** The type to write a collection or map as whose elements need type information; null for all other payloads. */
    @Nullable
    JavaType typeOf(Object payload) {
        if (!(payload instanceof Collection || payload instanceof Map)) {
            return null;
        }
        TypeFactory types = mapper.getTypeFactory();
        JavaType known = mapper.constructType(payload.getClass());
        if (!known.isContainerType() || !known.getContentType().isJavaLangObject()) {
            return null;
        }
        boolean isMap = payload instanceof Map;
        JavaType element = elementType(isMap ? ((Map<?, ?>) payload).values() : (Collection<?>) payload);
        if (element == null) {
            return null;
        }
        return isMap
                ? types.constructMapType(Map.class, known.getKeyType(), element)
                : types.constructCollectionType(Collection.class, element);
    }

    /** A type that all elements have in common and that asks for type information; null if there is none. */
    private @Nullable JavaType elementType(Collection<?> elements) {
        Object first = elements.stream().filter(Objects::nonNull).findFirst().orElse(null);
        if (first == null) {
            return null;
        }
        if (first instanceof Collection || first instanceof Map) {
            List<Optional<JavaType>> types = elements.stream()
                    .filter(element -> element != null && !isEmpty(element))
                    .map(element -> Optional.ofNullable(typeOf(element)))
                    .distinct()
                    .toList();
            return types.size() == 1 ? types.get(0).orElse(null) : null;
        }
        List<Class<?>> classes = elements.stream()
                .filter(Objects::nonNull)
                .<Class<?>>map(Object::getClass)
                .distinct()
                .toList();
        return superTypes(classes.get(0))
                .filter(type -> classes.stream().allMatch(type::isAssignableFrom) && asksForTypeInformation(type))
                .reduce((one, other) -> one.isAssignableFrom(other) ? one : other)
                .map(mapper::constructType)
                .orElse(null);
    }

    private static boolean isEmpty(Object container) {
        return container instanceof Map<?, ?> map
                ? map.isEmpty()
                : container instanceof Collection<?> all && all.isEmpty();
    }

    private static Stream<Class<?>> superTypes(Class<?> type) {
        return ClassUtil.findRawSuperTypes(type, Object.class, true).stream();
    }

    private boolean asksForTypeInformation(Class<?> type) {
        SerializationConfig config = mapper.serializationConfig();
        AnnotatedClass annotations =
                config.classIntrospectorInstance().introspectClassAnnotations(mapper.constructType(type));
        return config.getAnnotationIntrospector().findPolymorphicTypeInfo(config, annotations) != null;
    }
}
