package io.delayqueue.spring;

import java.lang.reflect.Type;

/**
 * Turns payloads into the bytes that are stored, and back into what a listener's parameter asks for. Define a bean of this
 * type to replace JSON by another format. Implementations are safe for use by several threads.
 *
 * <p>No class name is passed on: the reader's type alone decides how bytes are read, so that either side may rename its
 * classes and a stored message can't choose what gets instantiated.
 */
public interface PayloadConverter {

    /**
     * The bytes to store.
     *
     * @param payload what the application schedules
     * @throws PayloadConversionException if it can't be written
     */
    byte[] toBytes(Object payload);

    /**
     * The object for a listener.
     *
     * @param bytes what was stored; don't change them
     * @param type what the listener's parameter asks for, generics included
     * @return an instance of the type
     * @throws PayloadConversionException if the bytes can't be read as this type; the message is then dead-lettered at once
     */
    Object fromBytes(byte[] bytes, Type type);
}
