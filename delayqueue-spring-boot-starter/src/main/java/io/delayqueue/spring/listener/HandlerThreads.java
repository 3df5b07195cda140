package io.delayqueue.spring.listener;

import java.util.concurrent.ThreadFactory;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Creates the threads that listeners run on. */
@FunctionalInterface
public interface HandlerThreads {

    /**
     * Factory of the threads of one listener.
     *
     * @param listenerId id of the listener, for thread names
     */
    ThreadFactory of(String listenerId);

    /** Platform threads, daemon, with this context class loader. */
    static HandlerThreads platform(ClassLoader classLoader) {
        return listenerId -> {
            CustomizableThreadFactory factory = new CustomizableThreadFactory("delayqueue-" + listenerId + "-");
            factory.setDaemon(true);
            return withClassLoader(factory, classLoader);
        };
    }

    /** Virtual threads with this context class loader; Java 21 and later. */
    static HandlerThreads virtual(ClassLoader classLoader) {
        return listenerId -> withClassLoader(
                new VirtualThreadTaskExecutor("delayqueue-" + listenerId + "-").getVirtualThreadFactory(), classLoader);
    }

    private static ThreadFactory withClassLoader(ThreadFactory factory, ClassLoader classLoader) {
        return task -> {
            Thread thread = factory.newThread(task);
            thread.setContextClassLoader(classLoader);
            return thread;
        };
    }
}
