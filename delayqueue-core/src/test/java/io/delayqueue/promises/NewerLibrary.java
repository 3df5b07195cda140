package io.delayqueue.promises;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A second copy of this library in the same process that is one version newer. It writes envelopes of version 2, and reads
 * those of versions 1 and 2. The classes are those under test, with the version changed while loading.
 */
final class NewerLibrary implements AutoCloseable {

    private final Consumer<String> application;

    private NewerLibrary(Consumer<String> application) {
        this.application = application;
    }

    /** An application of that copy ({@link NewerApplication}); it consumes if a receiver is given. */
    @SuppressWarnings("unchecked")
    static NewerLibrary start(String uri, @Nullable Consumer<String> handled) throws ReflectiveOperationException {
        // only the JDK's types are the same in both copies
        return new NewerLibrary((Consumer<String>) new Loader()
                .loadClass(NewerApplication.class.getName())
                .getDeclaredConstructor(String.class, Consumer.class)
                .newInstance(uri, handled));
    }

    void schedule(String id) {
        application.accept(id);
    }

    @Override
    public void close() throws Exception {
        ((AutoCloseable) application).close();
    }

    private static final class Loader extends ClassLoader {

        private static final String ENVELOPE = "io.delayqueue.internal.redis.Envelope";

        Loader() {
            super(NewerLibrary.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("io.delayqueue.") || name.startsWith("io.delayqueue.test.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                byte[] code = read(name.replace('.', '/') + ".class");
                if (name.equals(ENVELOPE)) {
                    String text = new String(code, StandardCharsets.ISO_8859_1);
                    text = replaceConstant(text, "1S", "2S");
                    text = replaceConstant(text, "1|2", "12|");
                    code = text.getBytes(StandardCharsets.ISO_8859_1);
                }
                return defineClass(name, code, 0, code.length);
            }
        }

        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            if (!name.endsWith("/include/envelope_format.lua")) {
                return super.getResourceAsStream(name);
            }
            try {
                String format = new String(read(name), StandardCharsets.UTF_8);
                String newer = format.replace("local ENVELOPE_VERSION = 49", "local ENVELOPE_VERSION = 50");
                if (newer.equals(format)) {
                    throw new IllegalStateException(name + " has its version in another form");
                }
                return new ByteArrayInputStream(newer.getBytes(StandardCharsets.UTF_8));
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException(e);
            }
        }

        private byte[] read(String name) throws ClassNotFoundException {
            try (InputStream in = getParent().getResourceAsStream(name)) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** In the class file: a text that starts so. Before it are the kind of the constant and its length, in two bytes. */
        private static String replaceConstant(String code, String start, String by) {
            Matcher constant = Pattern.compile("\\x01(..)" + Pattern.quote(start), Pattern.DOTALL)
                    .matcher(code);
            if (!constant.find()) {
                throw new IllegalStateException("the envelope's class has no text that starts with " + start);
            }
            String before = constant.group(1);
            int length = (before.charAt(0) << 8) + before.charAt(1) + by.length() - start.length();
            return code.substring(0, constant.start(1))
                    + (char) (length >> 8)
                    + (char) (length & 0xff)
                    + by
                    + code.substring(constant.end());
        }
    }
}
