package io.delayqueue.gateway.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockAsyncContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Answers to clients that take a part of them at a time, or nothing. */
class AnswerWritingTests {

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final Duration SHORT = Duration.ofMillis(1_500);

    private final List<String> steps = new CopyOnWriteArrayList<>();
    private final Connection connection = new Connection();
    private final AnswerThreads threads = new AnswerThreads(1);

    @AfterEach
    void endThreads() {
        threads.close();
    }

    /** A connection that is ready for a number of calls. */
    private static final class Connection extends ServletOutputStream {

        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private @Nullable WriteListener listener;
        private int ready;
        private int flushes;

        @Override
        public boolean isReady() {
            return ready-- > 0;
        }

        @Override
        public void setWriteListener(WriteListener writing) {
            listener = writing;
        }

        @Override
        public void write(int b) {
            bytes.write(b);
        }

        @Override
        public void write(byte[] from, int offset, int length) {
            bytes.write(from, offset, length);
        }

        @Override
        public void flush() {
            flushes++;
        }

        private void take(int calls) throws IOException {
            ready = calls;
            listener.onWritePossible();
        }
    }

    /** Tells what became of the messages, and how many bytes the client could have when its lease began. */
    private final class Messages implements AnsweredMessages {

        @Override
        public boolean isEmpty() {
            return false;
        }

        @Override
        public void renew() {
            steps.add("renew");
        }

        @Override
        public void beginLease() {
            steps.add("lease at " + connection.bytes.size());
        }

        @Override
        public void confirm() {
            steps.add("confirm");
        }

        @Override
        public void release() {
            steps.add("release");
        }
    }

    private void begin(int size, boolean headFirst, AnswerTimes times) throws IOException {
        MockHttpServletResponse response = new MockHttpServletResponse() {
            @Override
            public ServletOutputStream getOutputStream() {
                return connection;
            }
        };
        AsyncContext context = new MockAsyncContext(new MockHttpServletRequest(), response) {
            @Override
            public void complete() {
                steps.add("complete");
            }
        };
        AnswerWriting.begin(context, new byte[size], new Messages(), headFirst, times);
    }

    @Test
    void leaseBeginsBeforeTheEndOfTheAnswer() throws Exception {
        for (int size : new int[] {1, 65_536, 65_537, 1_000_000}) {
            steps.clear();
            connection.bytes.reset();
            begin(size, true, new AnswerTimes(LONG, LONG, threads));
            connection.take(1_000);
            assertThat(connection.bytes.size()).isEqualTo(size);
            int last = (size - 1) / AnswerWriting.CHUNK * AnswerWriting.CHUNK;
            assertThat(steps).as("of %s", size).containsExactly("lease at " + last, "confirm", "complete");
        }
    }

    @Test
    void answerIsConfirmedOnceTheConnectionHasTakenAll() throws Exception {
        begin(2 * AnswerWriting.CHUNK, true, new AnswerTimes(LONG, LONG, threads));
        connection.take(1);
        assertThat(connection.flushes).as("the head is written first").isEqualTo(1);
        assertThat(connection.bytes.size()).isZero();
        connection.take(1);
        assertThat(connection.bytes.size()).isEqualTo(AnswerWriting.CHUNK);
        assertThat(steps).isEmpty();
        connection.take(2);
        assertThat(connection.flushes).isEqualTo(2);
        assertThat(steps).containsExactly("lease at " + AnswerWriting.CHUNK);
        connection.take(1);
        assertThat(steps).endsWith("confirm", "complete").hasSize(3);
    }

    @Test
    void messagesAreRenewedAndThenReleasedWhileTheClientTakesNothing() throws Exception {
        begin(10, false, new AnswerTimes(SHORT, Duration.ofMillis(10), threads));
        await().atMost(Duration.ofSeconds(30)).until(() -> steps.contains("release"));
        assertThat(steps).contains("renew").endsWith("release");
        assertThatThrownBy(() -> connection.take(1)).isInstanceOf(IOException.class);
        assertThat(connection.bytes.size()).as("others may have the messages").isZero();
        connection.listener.onError(new IOException("closed"));
        assertThat(steps).endsWith("release", "complete").containsOnlyOnce("release");
    }

    @Test
    void messagesAreReleasedWhenTheClientGoesAway() throws Exception {
        begin(10, false, new AnswerTimes(LONG, LONG, threads));
        connection.listener.onError(new IOException("closed"));
        assertThat(steps).containsExactly("release", "complete");
    }
}
