package io.delayqueue.spring;

import java.lang.reflect.Type;

/**
 * Converts payloads to stored bytes, and stored bytes to the type of a listener's parameter. A bean of this type replaces JSON
 * by another format. Implementations must be safe for use by several threads.
 *
 * <p>No class name is stored: the parameter's type alone decides how bytes are read. So both sides may rename their classes,
 * and a stored message can't choose a class to instantiate.
 */
public interface PayloadConverter {

    /**
     * Converts a payload to the bytes to store.
     *
     * @param payload the application's payload
     * @throws PayloadConversionException if it can't be converted
     */
    byte[] toBytes(Object payload);

    /**
     * Converts a payload of a given type to the bytes to store. The type includes generics, which the payload's class lacks.
     *
     * @param payload the application's payload
     * @param type its type, as the listener declares it
     * @throws PayloadConversionException if it can't be converted
     * @throws IllegalArgumentException if the payload is not of that type
     */
    default byte[] toBytes(Object payload, Type type) {
        return toBytes(payload);
    }

    /**
     * Converts stored bytes to a payload.
     *
     * @param bytes the stored bytes; don't change them
     * @param type type of the listener's parameter, generics included
     * @return an instance of the type
     * @throws PayloadConversionException if the bytes can't be read as this type; the message is then dead-lettered at once.
     *     Throw another exception for a failure that may pass, such as of a schema registry that is unavailable; the message is
     *     then retried
     */
    Object fromBytes(byte[] bytes, Type type);
}
