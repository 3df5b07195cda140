package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

/** Writes an instance's notes: each in one piece, so that a kill leaves no half of one between others. */
record Log(PrintStream out) {

    /** Property: when the machine's monotonic clock was zero, in µs since the epoch. All processes of a run have one answer. */
    static final String ZERO = "oracle.zero";

    static final long ZERO_MICROS = Long.getLong(ZERO, zeroMicros());

    private static final long TICK_MILLIS = 20;
    private static final long STALL_MICROS = 300_000;

    /** Microseconds since the epoch, by the monotonic clock: a process' calendar may be moved. */
    static long micros() {
        return ZERO_MICROS + System.nanoTime() / 1_000;
    }

    /** How far this process' calendar is ahead. */
    static long aheadMicros() {
        return calendarMicros() - micros();
    }

    /** The least of some looks: a pause in one makes the answer larger. */
    private static long zeroMicros() {
        return LongStream.range(0, 100)
                .map(look -> -(System.nanoTime() / 1_000) + calendarMicros())
                .min()
                .orElseThrow();
    }

    private static long calendarMicros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    void write(What what) {
        write(what, "-", "-", 0);
    }

    void write(What what, String subject, String version, long number) {
        write(what, subject, version, number, micros());
    }

    void write(What what, String subject, String version, long number, long at) {
        byte[] line = (Note.line(what, subject, version, number, at) + "\n").getBytes(StandardCharsets.US_ASCII);
        out.write(line, 0, line.length);
        out.flush();
    }

    /**
     * A thread that asks Redis again and again, and so notices when it, this process or the machine stands still: leases end then.
     *
     * @param question asks Redis over a connection that is not the library's
     */
    void observeStalls(Runnable question) {
        Thread asking = new Thread(() -> {
            long last = micros();
            while (true) {
                pause(TICK_MILLIS);
                try {
                    question.run();
                } catch (RuntimeException e) {
                    continue; // away: that is noted when it answers
                }
                long now = micros();
                if (now - last > STALL_MICROS) {
                    write(What.STALLED, "-", "-", now - last);
                }
                last = now;
            }
        });
        asking.setDaemon(true);
        asking.start();
    }

    /** A thread that only wakes up again and again, and so notices when this process stood still. */
    void observePauses() {
        Thread waking = new Thread(() -> {
            long last = micros();
            while (true) {
                pause(TICK_MILLIS);
                long now = micros();
                if (now - last > STALL_MICROS) {
                    write(What.PAUSED, "-", "-", now - last);
                }
                last = now;
            }
        });
        waking.setDaemon(true);
        waking.start();
    }

    static void pause(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
