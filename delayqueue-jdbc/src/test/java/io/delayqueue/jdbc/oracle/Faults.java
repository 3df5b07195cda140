package io.delayqueue.jdbc.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.delayqueue.jdbc.oracle.Note.What;
import io.delayqueue.jdbc.testsupport.FrozenProcess;
import io.delayqueue.jdbc.testsupport.MovedClock;
import io.lettuce.core.KillArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Faults of a run. Each shows that it struck, and ends with instances that go on. */
record Faults(Run run) {

    /** Longer than send timeouts, leases of messages, and time-outs of commands. */
    static final Duration LONG = Duration.ofMillis(3_500);

    /** Longer than time-outs of commands, shorter than leases of messages. */
    static final Duration SHORT = Duration.ofMillis(1_200);

    /** Longer than Redis remembers what it applied. */
    private static final Duration FORGOTTEN = Run.REMEMBERED.multipliedBy(2);

    void any(Random random) throws Exception {
        DatabaseFaults database = new DatabaseFaults(run);
        int instance = random.nextInt(run.instances.members().size());
        switch (random.nextInt(21)) {
            case 0 -> database.cutConnections();
            case 1 -> killRedis();
            case 2 -> pauseRedis();
            case 3 -> freezeInstance(instance);
            case 4 -> database.takeAway(random.nextBoolean() ? LONG : FORGOTTEN);
            case 5 -> loseReplies();
            case 6 -> holdUpCalls();
            case 7 -> killClients();
            case 8 -> pauseClients();
            case 9, 10, 11, 12, 13 -> new Refusals(run).any(random);
            case 14, 15, 16 -> new Losses(run).any(random);
            case 17 -> database.crash();
            case 18 -> database.freeze();
            case 19 -> cutReplies();
            default -> {
                killInstance(instance);
                run.instances.start(1);
            }
        }
    }

    void killRedis() throws Exception {
        long before = run.redis().pid();
        run.strike("Redis killed", null, () -> {
            run.redis().kill();
            run.play(Duration.ofMillis(300));
            run.redis().restart();
        });
        assertThat(run.redis().pid()).isNotEqualTo(before);
    }

    /** For so long that leases of messages end. */
    void pauseRedis() throws Exception {
        pauseRedis(LONG);
    }

    /** For so long that calls time out. */
    void pauseRedisBriefly() throws Exception {
        pauseRedis(SHORT);
    }

    private void pauseRedis(Duration time) throws Exception {
        run.strike("Redis paused", null, () -> {
            long resumed;
            run.redis().pause();
            try {
                long handled = run.instances.count(What.ENDED);
                run.play(time);
                // those that were claimed before
                assertThat(run.instances.count(What.ENDED) - handled).isLessThan(100);
            } finally {
                resumed = Log.micros();
                run.redis().resume();
            }
            // a busy machine may have been late to read the last answer before
            run.instances.awaitStalled(resumed, time.dividedBy(2));
        });
    }

    /** Redis closes the connections of all instances, with calls on their way. */
    void killClients() throws Exception {
        int instances = run.instances.members().size();
        run.strike("clients killed", null, () -> {
            long calling = run.ask(redis -> redis.clientKill(KillArgs.Builder.typeNormal()));
            long listening = run.ask(redis -> redis.clientKill(KillArgs.Builder.typePubsub()));
            assertThat(calling).as("connections with calls").isGreaterThanOrEqualTo(instances);
            assertThat(listening).as("connections that listen").isPositive();
        });
    }

    /** Redis takes no calls for a while, and then those that came meanwhile: their callers have given some of them up. */
    void pauseClients() throws Exception {
        run.strike("clients paused", null, () -> {
            long begun = System.nanoTime();
            run.ask(redis -> redis.clientPause(LONG.toMillis()));
            // waits, too
            run.ask(RedisCommands::ping);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("time until Redis answers")
                    .isGreaterThanOrEqualTo(LONG.minusMillis(100));
        });
    }

    /** Redis does what it is asked for, and each twentieth answer is lost with its connection. */
    void loseReplies() throws Exception {
        RedisAddress address = run.served.address();
        long before = address.lost();
        run.strike("replies lost", null, () -> {
            address.loseReplies(20);
            try {
                Instances.await(Duration.ofSeconds(90)).until(() -> address.lost() >= before + 20);
            } finally {
                address.loseReplies(0);
            }
        });
    }

    /** Redis does what it is asked for, and each twentieth answer lacks its end, as its connection ends before. */
    void cutReplies() throws Exception {
        RedisAddress address = run.served.address();
        long before = address.cut();
        run.strike("replies cut", null, () -> {
            address.cutReplies(20);
            try {
                Instances.await(Duration.ofSeconds(90)).until(() -> address.cut() >= before + 20);
            } finally {
                address.cutReplies(0);
            }
        });
    }

    /** Calls of the outbox reach Redis when others have sent their rows long ago, and Redis has forgotten that. */
    void holdUpCalls() throws Exception {
        long before = run.served.address().late();
        run.strike("calls held up", null, () -> {
            run.served.address().holdUpCalls(20, FORGOTTEN);
            try {
                Instances.await(Duration.ofSeconds(90))
                        .until(() -> run.served.address().heldUp() >= before + 20);
            } finally {
                run.served.address().holdUpCalls(0, FORGOTTEN);
            }
            Instances.await(FORGOTTEN.multipliedBy(3))
                    .until(() ->
                            run.served.address().late() == run.served.address().heldUp());
        });
    }

    void freezeInstance(int index) throws Exception {
        Instances.Member frozen = run.instances.members().get(index);
        run.strike("frozen", frozen, () -> {
            FrozenProcess.freeze(frozen.process());
            // notes that it wrote before are still being read
            long before = run.instances.awaitNoMore(frozen.name(), What.RETURNED);
            run.play(LONG);
            assertThat(run.instances.count(frozen.name(), What.RETURNED))
                    .as("transactions of a frozen instance")
                    .isEqualTo(before);
            FrozenProcess.thaw(frozen.process());
        });
    }

    /** The clock of an instance is set. That excuses nothing. */
    void setClock(int index, MovedClock clock, Duration ahead) throws Exception {
        clock.move(ahead);
        run.instances.awaitCalendar(run.instances.members().get(index), ahead);
        run.instances.awaitProgress();
    }

    /** Redis' clock is set, with messages on their way to their due time. */
    void setRedisClock(MovedClock clock, Duration ahead) throws Exception {
        long before = redisIsAheadMicros();
        long step = TimeUnit.SECONDS.toMicros(ahead.toSeconds()) - before;
        Instances.await(Duration.ofSeconds(60)).until(() -> run.recorded.scheduled() > 10);
        run.strike(step > 0 ? Strike.CLOCK_AHEAD : Strike.CLOCK_BACK, null, () -> {
            clock.move(ahead);
            Instances.await(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(redisIsAheadMicros() - before)
                            .as("µs by which Redis' clock was set")
                            .isCloseTo(step, within(TimeUnit.SECONDS.toMicros(1))));
        });
    }

    private long redisIsAheadMicros() {
        List<String> time = run.ask(RedisCommands::time);
        return TimeUnit.SECONDS.toMicros(Long.parseLong(time.get(0))) + Long.parseLong(time.get(1)) - Log.micros();
    }

    void killInstance(int index) throws Exception {
        Instances.Member killed = run.instances.members().get(index);
        run.kill(killed);
        assertThat(killed.process().isAlive()).isFalse();
        run.instances.awaitProgress();
    }
}
