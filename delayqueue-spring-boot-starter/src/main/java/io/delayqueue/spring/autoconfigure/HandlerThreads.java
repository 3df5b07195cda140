package io.delayqueue.spring.autoconfigure;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationContext;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/** Makes the worker threads that the application's listeners share: virtual ones where Boot has them on, else daemons. */
final class HandlerThreads {

    private static final String NAME_PREFIX = "delayqueue-worker-";

    private HandlerThreads() {}

    /** Threads that see the classes of the application. */
    static ThreadFactory of(ApplicationContext context) {
        ThreadFactory factory = Threading.VIRTUAL.isActive(context.getEnvironment())
                ? new VirtualThreadTaskExecutor(NAME_PREFIX).getVirtualThreadFactory()
                : daemons();
        ClassLoader classLoader =
                Objects.requireNonNullElseGet(context.getClassLoader(), ClassLoader::getSystemClassLoader);
        return task -> {
            Thread thread = factory.newThread(task);
            thread.setContextClassLoader(classLoader);
            return thread;
        };
    }

    private static ThreadFactory daemons() {
        CustomizableThreadFactory factory = new CustomizableThreadFactory(NAME_PREFIX);
        factory.setDaemon(true);
        return factory;
    }
}
