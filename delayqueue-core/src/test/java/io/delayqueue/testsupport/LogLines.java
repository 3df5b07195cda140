package io.delayqueue.testsupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/** Catches what a logger says, instead of showing it. */
public final class LogLines implements AutoCloseable {

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level levelBefore;
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            events.add(event);
        }
    };

    private LogLines(String name, Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        levelBefore = logger.getLevel();
        logger.setLevel(level);
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    /** Catches what this logger says from INFO on, until closed. */
    public static LogLines of(String logger) {
        return new LogLines(logger, Level.INFO);
    }

    /** Catches all that this logger can be made to say, until closed. */
    public static LogLines allOf(String logger) {
        return new LogLines(logger, Level.TRACE);
    }

    /** Level and text of each. */
    public List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** All there is to read of each, stack traces included. */
    public String everything() {
        return events.stream()
                .map(event -> event.getLoggerName() + " " + event.getFormattedMessage() + "\n"
                        + (event.getThrowableProxy() == null
                                ? ""
                                : ThrowableProxyUtil.asString(event.getThrowableProxy())))
                .collect(Collectors.joining("\n"));
    }

    /** The events themselves. */
    public List<ILoggingEvent> events() {
        return events;
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(levelBefore);
    }
}
