package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Writes an instance's notes: each in one piece, so that a kill leaves no half of one between others. */
record Log(PrintStream out) {

    private static final long TICK_MILLIS = 20;
    private static final long STALL_MICROS = 300_000;

    static long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }

    void write(What what) {
        write(what, "-", "-", 0);
    }

    void write(What what, String subject, String version, long number) {
        byte[] line = (Note.line(what, subject, version, number, micros()) + "\n").getBytes(StandardCharsets.US_ASCII);
        out.write(line, 0, line.length);
        out.flush();
    }

    /** A thread that ticks, and so notices when the process gets no processor. */
    void observeStalls() {
        Thread ticking = new Thread(() -> {
            long last = micros();
            while (true) {
                pause(TICK_MILLIS);
                long now = micros();
                if (now - last > STALL_MICROS) {
                    write(What.STALLED, "-", "-", now - last);
                }
                last = now;
            }
        });
        ticking.setDaemon(true);
        ticking.start();
    }

    static void pause(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
