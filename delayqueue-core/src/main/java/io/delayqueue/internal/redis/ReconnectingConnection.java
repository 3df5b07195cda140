package io.delayqueue.internal.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One connection, opened when it is first asked for, and opened anew where Lettuce alone would come back late: it waits up
 * to 30 s between attempts to reconnect, and never notices a peer that is silent.
 *
 * <p>Opening blocks (that is all a client that keeps its address to itself offers), so each attempt has a thread of its
 * own while it lasts. One that hangs is not waited for: another is made beside it, the first to succeed counts, and the
 * others are closed when they do.
 */
final class ReconnectingConnection<C extends StatefulConnection<byte[], byte[]>> {

    private static final Logger log = LoggerFactory.getLogger(ReconnectingConnection.class);

    private static final long BETWEEN_ATTEMPTS_MS = 1000;
    private static final long BROKEN_MS = 1000;
    private static final long PATIENCE_MS = 2000;
    /** Attempts that hang at a time: Lettuce ends each after 60 s unless told otherwise, and until then none may be missed. */
    private static final int MOST_ATTEMPTS = 32;

    private static final int TRIES_FOR_A_REASON = 5;
    private static final long BETWEEN_LINES_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final String name;
    private final Supplier<C> connect;
    private final ScheduledExecutorService timer;
    private final Consumer<C> onOpen;
    private final Runnable onLost;
    private final long lingerMs;

    private final ReentrantLock lock = new ReentrantLock();
    private @Nullable C current;
    /** Who asked while there was no connection; another list for each round of attempts. */
    private List<CompletableFuture<C>> waiting = new ArrayList<>();
    /** Whether a connection is open that those who waited are being given. */
    private boolean handingOut;

    private final AtomicLong lastTold = new AtomicLong(System.nanoTime() - BETWEEN_LINES_NANOS - 1);

    private @Nullable Throwable lastFailure;
    private int attempts;
    private long lastAttempt = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(BETWEEN_ATTEMPTS_MS);
    private boolean closed;
    /** Whether another connection is being opened beside the current one. */
    private boolean replacing;

    /** Replaced ones that still may bring answers. */
    private final Set<C> lingering = new HashSet<>();

    ReconnectingConnection(
            String name, Supplier<C> connect, ScheduledExecutorService timer, Consumer<C> onOpen, Runnable onLost) {
        this(name, connect, timer, onOpen, onLost, 0);
    }

    /**
     * @param lingerMs 0 if a connection that is given up has no use; else it is used until another one is open, and so
     *     much longer for what is under way: some of the servers behind it may well answer
     */
    ReconnectingConnection(
            String name,
            Supplier<C> connect,
            ScheduledExecutorService timer,
            Consumer<C> onOpen,
            Runnable onLost,
            long lingerMs) {
        this.name = name;
        this.connect = connect;
        this.timer = timer;
        this.onOpen = onOpen;
        this.onLost = onLost;
        this.lingerMs = lingerMs;
    }

    /** The connection, once it is open; fails if opening it fails. Who asks first is answered first. */
    CompletableFuture<C> connection() {
        lock.lock();
        try {
            if (closed) {
                return CompletableFuture.failedFuture(RedisErrors.closed());
            }
            if (current != null) {
                return CompletableFuture.completedFuture(current);
            }
            if (waiting.isEmpty() && !handingOut) {
                List<CompletableFuture<C>> round = waiting;
                long wait = Math.max(0, BETWEEN_ATTEMPTS_MS - sinceLastAttemptMs());
                timer.schedule(() -> attempt(round), wait, TimeUnit.MILLISECONDS);
            }
            CompletableFuture<C> answer = new CompletableFuture<>();
            waiting.add(answer);
            return answer;
        } finally {
            lock.unlock();
        }
    }

    /** Does something with the connection if there is one now. */
    void ifOpen(Consumer<C> action) {
        C open;
        lock.lock();
        try {
            open = current;
        } finally {
            lock.unlock();
        }
        if (open != null) {
            action.accept(open);
        }
    }

    /** Whether this is the connection in use. */
    boolean isOpen(C connection) {
        lock.lock();
        try {
            return current == connection;
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Why the last attempt to open it failed; null if none did since it was open last. */
    @Nullable
    Throwable lastFailure() {
        lock.lock();
        try {
            return lastFailure;
        } finally {
            lock.unlock();
        }
    }

    /** Gives the present connection up: what waits in it fails, and the next use opens another. */
    void renew(String why) {
        ifOpen(connection -> renew(connection, why));
    }

    /** Gives this connection up unless that was done already. */
    void renew(C broken, String why) {
        lock.lock();
        try {
            if (current != broken || closed || replacing) {
                return;
            }
            replacing = lingerMs > 0;
            current = replacing ? broken : null;
        } finally {
            lock.unlock();
        }
        tell(why);
        if (lingerMs > 0) {
            replacement(broken);
        } else {
            broken.closeAsync();
            onLost.run();
        }
    }

    /** Tries to open another one, and again beside it while that hangs. */
    private void replacement(C old) {
        lock.lock();
        try {
            if (!replacing || current != old || closed || attempts >= MOST_ATTEMPTS) {
                return;
            }
            attempts++;
        } finally {
            lock.unlock();
        }
        timer.schedule(() -> replacement(old), PATIENCE_MS, TimeUnit.MILLISECONDS);
        inBackground(() -> replace(old));
    }

    /** Once a minute at most, lest one that breaks again and again flood the log. */
    private void tell(String why) {
        long now = System.nanoTime();
        long last = lastTold.get();
        boolean first = now - last > BETWEEN_LINES_NANOS && lastTold.compareAndSet(last, now);
        log.atLevel(first ? Level.INFO : Level.DEBUG).log("Opening a new {} connection to Redis, for {}", name, why);
    }

    private void replace(C old) {
        C fresh;
        try {
            fresh = connect();
        } catch (Throwable e) {
            log.debug("The {} connection could not be replaced: {}", name, RedisErrors.text(e));
            lock.lock();
            try {
                attempts--;
                replacing = false;
            } finally {
                lock.unlock();
            }
            return;
        }
        boolean surplus;
        lock.lock();
        try {
            attempts--;
            surplus = closed || current != old;
            if (!surplus) {
                replacing = false;
                current = fresh;
                lingering.add(old);
            }
        } finally {
            lock.unlock();
        }
        if (surplus) {
            fresh.closeAsync();
            return;
        }
        timer.schedule(() -> endLingering(old), lingerMs, TimeUnit.MILLISECONDS);
        new Watch(fresh).begin();
        onOpen.accept(fresh);
    }

    private void endLingering(C old) {
        lock.lock();
        try {
            lingering.remove(old);
        } finally {
            lock.unlock();
        }
        old.closeAsync();
    }

    /** Closes the connection; who waits for one is told. */
    CompletableFuture<Void> close() {
        List<CompletableFuture<C>> unanswered;
        List<C> open;
        lock.lock();
        try {
            closed = true;
            unanswered = takeWaiting();
            open = new ArrayList<>(lingering);
            if (current != null) {
                open.add(current);
            }
            lingering.clear();
            current = null;
        } finally {
            lock.unlock();
        }
        unanswered.forEach(answer -> answer.completeExceptionally(RedisErrors.closed()));
        return CompletableFuture.allOf(open.stream().map(C::closeAsync).toArray(CompletableFuture[]::new));
    }

    /** Tries to open the connection that is waited for, again and again until one of the attempts has ended. */
    private void attempt(List<CompletableFuture<C>> round) {
        lock.lock();
        try {
            if (waiting != round || closed || handingOut) {
                return;
            }
            timer.schedule(() -> attempt(round), PATIENCE_MS, TimeUnit.MILLISECONDS);
            if (attempts >= MOST_ATTEMPTS || sinceLastAttemptMs() < BETWEEN_ATTEMPTS_MS) {
                return;
            }
            attempts++;
            lastAttempt = System.nanoTime();
        } finally {
            lock.unlock();
        }
        inBackground(this::open);
    }

    private void inBackground(Runnable task) {
        Thread thread = new Thread(task, "delayqueue-connect-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private long sinceLastAttemptMs() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastAttempt);
    }

    private void open() {
        C connection;
        try {
            connection = connect();
        } catch (Throwable e) {
            failed(e);
            return;
        }
        opened(connection);
    }

    /** Where the server hangs up at once, Lettuce may lose what it said, on a busy machine even twice in a row. */
    private C connect() {
        for (int triesLeft = TRIES_FOR_A_REASON; ; triesLeft--) {
            try {
                return connect.get();
            } catch (RedisConnectionException e) {
                if (triesLeft == 1 || !hasLostTheReason(e)) {
                    throw e;
                }
            }
        }
    }

    /** Either its handshake found no connection any more, or the connection ended before the handshake was answered. */
    private static boolean hasLostTheReason(RedisConnectionException error) {
        Throwable cause = error.getCause();
        return cause instanceof IllegalStateException
                || cause instanceof RedisConnectionException && cause.getCause() == null;
    }

    private void opened(C connection) {
        boolean surplus;
        lock.lock();
        try {
            attempts--;
            surplus = closed || handingOut || current != null;
            handingOut |= !surplus;
        } finally {
            lock.unlock();
        }
        if (surplus) {
            connection.closeAsync();
            return;
        }
        new Watch(connection).begin();
        handOut(connection);
        // not before: whoever finds no open connection until then relies on being known here
        onOpen.accept(connection);
    }

    /** Answers all who waited, in their order, before anybody gets the connection without waiting. */
    private void handOut(C connection) {
        while (true) {
            List<CompletableFuture<C>> unanswered;
            lock.lock();
            try {
                unanswered = takeWaiting();
                if (unanswered.isEmpty()) {
                    handingOut = false;
                    lastFailure = null;
                    current = closed ? null : connection;
                    break;
                }
            } finally {
                lock.unlock();
            }
            unanswered.forEach(answer -> answer.complete(connection));
        }
        if (isClosed()) {
            connection.closeAsync();
        }
    }

    private void failed(Throwable error) {
        List<CompletableFuture<C>> unanswered;
        lock.lock();
        try {
            attempts--;
            lastFailure = error;
            unanswered = handingOut ? List.of() : takeWaiting();
        } finally {
            lock.unlock();
        }
        unanswered.forEach(answer -> answer.completeExceptionally(error));
    }

    private List<CompletableFuture<C>> takeWaiting() {
        List<CompletableFuture<C>> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /** Gives Lettuce a second to reconnect by itself. */
    private final class Watch implements RedisConnectionStateListener {

        private final C connection;

        Watch(C connection) {
            this.connection = connection;
        }

        void begin() {
            connection.addListener(this);
            if (!connection.isOpen()) {
                lookAgainSoon();
            }
        }

        @Override
        public void onRedisDisconnected(RedisChannelHandler<?, ?> disconnected) {
            lookAgainSoon();
        }

        private void lookAgainSoon() {
            timer.schedule(this::look, BROKEN_MS, TimeUnit.MILLISECONDS);
        }

        private void look() {
            if (!connection.isOpen()) {
                renew(connection, "the old one is broken");
            }
        }
    }
}
