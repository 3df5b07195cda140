package io.delayqueue.testsupport;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.LoggerFactory;

/** Makes every line of the engine's log fail with an {@link Error}; connections have loggers of their own, which go on. */
public final class FailingLog implements AutoCloseable {

    private static final String ENGINE = "io.delayqueue";

    private final AtomicInteger lines = new AtomicInteger();
    private final Logger logger = (Logger) LoggerFactory.getLogger(ENGINE);
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (!event.getLoggerName().equals(ENGINE)) {
                return;
            }
            lines.incrementAndGet();
            throw new LinkageError("pretended by the logger");
        }
    };

    private FailingLog() {
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    /** From now on, until closed. */
    public static FailingLog begin() {
        return new FailingLog();
    }

    /** Number of lines that have failed. */
    public int failedLines() {
        return lines.get();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
    }
}
