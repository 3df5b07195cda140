package io.delayqueue.testsupport;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/**
 * Catches the lines of a logger, instead of showing them. Other tests of this JVM share the logger: a test that counts lines
 * takes those {@link #with} words of its own.
 */
public final class LogLines implements AutoCloseable {

    private static final String LIBRARY = "io.delayqueue";

    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger logger;
    private final Level levelBefore;
    private final AppenderBase<ILoggingEvent> appender;

    private LogLines(Level level, Predicate<ILoggingEvent> wanted) {
        appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                if (wanted.test(event)) {
                    events.add(event);
                }
            }
        };
        logger = (Logger) LoggerFactory.getLogger(LIBRARY);
        levelBefore = logger.getLevel();
        logger.setLevel(level);
        logger.setAdditive(false);
        appender.start();
        logger.addAppender(appender);
    }

    /** Catches the engine's lines from INFO on, until closed; connections have loggers of their own, which this leaves out. */
    public static LogLines ofEngine() {
        return new LogLines(Level.INFO, event -> event.getLoggerName().equals(LIBRARY));
    }

    /** Catches the lines of the whole library from INFO on, until closed. Not for exact counts. */
    public static LogLines ofLibrary() {
        return new LogLines(Level.INFO, event -> true);
    }

    /** Catches every line that the whole library can be made to log, until closed. Not for exact counts. */
    public static LogLines ofLibraryAtEveryLevel() {
        return new LogLines(Level.TRACE, event -> true);
    }

    /** Level and text of each. */
    public List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** Level and text of each that contains this. */
    public List<String> with(String words) {
        return lines().stream().filter(line -> line.contains(words)).toList();
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
