package io.delayqueue.jdbc.oracle;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.testsupport.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Processes that run an {@link Instance} each, and what they wrote. */
final class Instances implements AutoCloseable {

    private final List<String> properties;
    private final Queue<Note> notes = new ConcurrentLinkedQueue<>();
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private int started;

    /** Instances with these properties. */
    Instances(Map<String, ?> properties) {
        this.properties = properties.entrySet().stream()
                .map(property -> "--" + property.getKey() + "=" + property.getValue())
                .toList();
    }

    /** A running instance. */
    record Member(String name, Process process, Thread reader) {

        void tell(String command) {
            try {
                Writer input = process.outputWriter(StandardCharsets.UTF_8);
                input.write(command + "\n");
                input.flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** {@code kill -9}; returns when its last line is read. */
        void kill() throws InterruptedException {
            // unlike Process.destroyForcibly(), this leaves the pipe of its output open
            process.toHandle().destroyForcibly();
            process.waitFor();
            reader.join(TimeUnit.SECONDS.toMillis(30));
        }
    }

    /** Starts instances, and lets them work once all are ready. */
    void start(int count) {
        start(Collections.nCopies(count, Map.<String, String>of()));
    }

    /** Starts an instance with each of these environments. */
    void start(List<Map<String, String>> environments) {
        List<Member> fresh = new ArrayList<>();
        for (Map<String, String> environment : environments) {
            fresh.add(start("i" + started++, environment));
        }
        for (Member member : fresh) {
            await(Duration.ofSeconds(90)).until(() -> {
                if (!member.process().isAlive()) {
                    throw new IllegalStateException(member.name() + " did not start");
                }
                return count(member.name(), What.READY) > 0;
            });
            member.tell(Instance.WORK);
        }
    }

    private Member start(String name, Map<String, String> environment) {
        List<String> arguments = new ArrayList<>();
        arguments.add(name);
        arguments.addAll(properties);
        try {
            ProcessBuilder instance = ChildJvm.running(
                    Instance.class,
                    List.of(
                            "-Xmx192m",
                            ChildJvm.STARTS_FAST,
                            "-XX:+UseSerialGC",
                            "-D" + Log.ZERO + "=" + Log.ZERO_MICROS),
                    arguments);
            instance.environment().putAll(environment);
            Process process = instance.start();
            Thread reader = new Thread(() -> read(name, process), "instance-" + name);
            reader.setDaemon(true);
            reader.start();
            Member member = new Member(name, process, reader);
            members.add(member);
            return member;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(String name, Process process) {
        try (var lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Note note = Note.of(name, line);
                if (note != null) {
                    notes.add(note);
                } else {
                    System.err.println(name + ": " + line);
                }
            }
        } catch (IOException e) {
            System.err.println(name + ": " + e);
        }
    }

    List<Member> members() {
        return members;
    }

    /** Kills an instance for good. */
    void kill(Member member) throws InterruptedException {
        members.remove(member);
        member.kill();
    }

    List<Note> notes() {
        return List.copyOf(notes);
    }

    long count(What what) {
        return notes.stream().filter(note -> note.is(what)).count();
    }

    long count(String instance, What what) {
        return notes.stream()
                .filter(note -> note.is(what) && note.instance().equals(instance))
                .count();
    }

    /** The number of such notes of an instance, when it has not grown for half a second. */
    long awaitNoMore(String instance, What what) {
        AtomicLong last = new AtomicLong(-1);
        Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> {
                    long now = count(instance, what);
                    return last.getAndSet(now) == now;
                });
        return last.get();
    }

    /** Waits until all instances have noticed that Redis did not answer for so long, and answers since that time. */
    void awaitStalled(long sinceMicros, Duration atLeast) {
        for (Member member : members) {
            await(Duration.ofSeconds(60))
                    .until(() -> notes.stream()
                            .filter(note ->
                                    note.is(What.STALLED) && note.instance().equals(member.name()))
                            .anyMatch(note -> note.at() >= sinceMicros
                                    && note.number() >= TimeUnit.MILLISECONDS.toMicros(atLeast.toMillis())));
        }
    }

    /** Waits until an instance's calendar is so far ahead of the machine's, or nearly so. */
    void awaitCalendar(Member member, Duration ahead) {
        await(Duration.ofSeconds(60)).until(() -> {
            member.tell(Instance.CALENDAR);
            return notes.stream()
                    .filter(note -> note.is(What.CALENDAR) && note.instance().equals(member.name()))
                    .reduce((former, last) -> last)
                    .filter(note -> Math.abs(note.number() - TimeUnit.SECONDS.toMicros(ahead.toSeconds()))
                            < TimeUnit.MINUTES.toMicros(1))
                    .isPresent();
        });
    }

    /** Waits until all instances have gone on: transactions return, and messages are handled. */
    void awaitProgress() {
        for (Member member : members) {
            long returned = count(member.name(), What.RETURNED);
            long ended = count(member.name(), What.ENDED);
            await(Duration.ofSeconds(120))
                    .until(() -> count(member.name(), What.RETURNED) >= returned + 5
                            && count(member.name(), What.ENDED) >= ended + 2);
        }
    }

    /** Ends the work; listeners go on. */
    void rest() {
        members.forEach(member -> member.tell(Instance.REST));
        for (Member member : members) {
            await(Duration.ofSeconds(90)).until(() -> count(member.name(), What.IDLE) > 0);
        }
    }

    static ConditionFactory await(Duration atMost) {
        return Awaitility.await().atMost(atMost).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(50));
    }

    @Override
    public void close() throws InterruptedException {
        for (Member member : members) {
            member.kill();
        }
    }
}
