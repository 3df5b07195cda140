package io.delayqueue.internal.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.delayqueue.Delay;
import io.delayqueue.WakeUp;
import io.delayqueue.internal.store.Claimed;
import io.delayqueue.internal.store.DeadLetterStore.RedriveTimes;
import io.delayqueue.internal.store.MessageStore;
import io.delayqueue.internal.store.Partition;
import io.delayqueue.internal.store.Release;
import io.delayqueue.internal.store.Retry;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WakeUpsTests extends ScriptTests {

    private final BlockingQueue<Long> wakeUps = new LinkedBlockingQueue<>();
    private AutoCloseable listening = () -> {};

    @BeforeEach
    void listen() throws InterruptedException {
        listening = store.listen(PARTITION, wakeUps::add);
        assertThat(next()).as("woken once subscribed").isZero();
    }

    @AfterEach
    void stopListening() throws Exception {
        listening.close();
    }

    @Test
    void anEarlierMessageWakesAndALaterOneDoesNot() throws InterruptedException {
        schedule(message("a").delay(HOUR));
        assertThat(next()).isEqualTo(Micros.of(HOUR));
        schedule(message("later").delay(HOUR.multipliedBy(2)));
        schedule(message("now"));
        assertThat(next()).isZero();
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void aRetryWakesWhenItIsTheFirstToBeDue() throws InterruptedException {
        schedule(message("a").priority(2), message("b"));
        assertThat(next()).isZero();
        List<Claimed> both = claim().claimed();
        retry(both.get(0), HOUR, 4);
        assertThat(next()).isEqualTo(Micros.of(HOUR));
        retry(both.get(1), HOUR.plusSeconds(1), 4);
        schedule(message("mark"));
        assertThat(next()).isZero();
    }

    @Test
    void aDeadLetterDoesNotWake() throws InterruptedException {
        bury(message("a"));
        assertThat(next()).isZero();
        schedule(message("mark").delay(HOUR));
        assertThat(next()).isEqualTo(Micros.of(HOUR));
    }

    @Test
    void aReleaseARedriveAndAResumeWakeAtOnce() throws InterruptedException {
        schedule(message("a"));
        assertThat(next()).isZero();
        Claimed claimed = claimOne();
        get(store.release(PARTITION, List.of(new Release(claimed.lease(), claimed.dueMicros(), 4))));
        assertThat(next()).isZero();
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimOne().lease(), 1, null, 4, "oh"))));
        get(store.deadLetters().redrive(PARTITION, List.of("a"), RedriveTimes.NOW));
        assertThat(next()).isZero();
        get(store.setPaused(PARTITION, true));
        get(store.setPaused(PARTITION, false));
        assertThat(next()).isZero();
        assertThat(wakeUps).isEmpty();
    }

    @Test
    void aRescheduledMessageWakesWhenItIsTheFirstToBeDue() throws InterruptedException {
        schedule(message("a").delay(HOUR), message("b").delay(HOUR.plusSeconds(1)));
        assertThat(next()).isEqualTo(Micros.of(HOUR));
        get(store.reschedule(PARTITION, List.of("b"), Delay.of(HOUR.plusSeconds(9))));
        get(store.reschedule(PARTITION, List.of("b"), Delay.of(HOUR.dividedBy(2))));
        assertThat(next()).isEqualTo(Micros.of(HOUR) / 2);
        get(store.reschedule(PARTITION, List.of("b"), Delay.of(HOUR)));
        get(store.reschedule(PARTITION, List.of("b"), Delay.NONE));
        assertThat(next()).isZero();
    }

    @Test
    void aListenerIsWokenByItsOwnTopicOnly() throws Exception {
        BlockingQueue<Long> other = new LinkedBlockingQueue<>();
        try (AutoCloseable alsoListening = store.listen(Partition.only("other"), other::add)) {
            assertThat(other.poll(20, TimeUnit.SECONDS)).isZero();
            schedule(message("a").delay(HOUR));
            assertThat(next()).isEqualTo(Micros.of(HOUR));
            // perhaps woken again by a connection that was just being opened, but not by the other topic
            assertThat(other).allMatch(wait -> wait == 0);
            assertThat(alsoListening).isNotNull();
        }
        await().until(() -> channels().equals(List.of(raw.name(""))));
    }

    @Test
    void aClosedListenerIsNotWokenAndTheLastToCloseUnsubscribesTheChannel() throws Exception {
        BlockingQueue<Long> second = new LinkedBlockingQueue<>();
        AutoCloseable alsoListening = store.listen(PARTITION, second::add);
        listening.close();
        schedule(message("a").delay(HOUR));
        assertThat(second.poll(20, TimeUnit.SECONDS)).isEqualTo(Micros.of(HOUR));
        assertThat(wakeUps).isEmpty();

        alsoListening.close();
        await().until(() -> channels().isEmpty());
    }

    @Test
    void aListenerThatThrowsDoesNotKeepOthersFromWaking() throws Exception {
        try (AutoCloseable failing = store.listen(PARTITION, wait -> {
            throw new IllegalStateException("not now");
        })) {
            schedule(message("a").delay(HOUR));
            assertThat(next()).isEqualTo(Micros.of(HOUR));
            assertThat(failing).isNotNull();
        }
    }

    @Test
    void anUnreadableMessageInTheChannelWakesAtOnce() throws InterruptedException {
        redis.publish(raw.name(""), "soon");
        assertThat(next()).isZero();
        redis.publish(raw.name(""), "-7");
        assertThat(next()).isZero();
    }

    @Test
    void aKilledSubscriptionIsRestoredAndWakes() throws InterruptedException {
        redis.clientKill(KillArgs.Builder.typePubsub());
        assertThat(next()).isZero();
        schedule(message("a").delay(HOUR));
        // the subscription may be restored twice, by its connection and by us
        long wait = next();
        assertThat(wait == 0 ? next() : wait).isEqualTo(Micros.of(HOUR));
    }

    @Test
    void nothingIsSubscribedOrPublishedIfConsumersPoll() throws Exception {
        String elsewhere = prefix + "poll";
        try (RedisMessageStore polling = RedisMessageStore.create(
                        RedisServer.client(),
                        options().keyPrefix(elsewhere).wakeUp(WakeUp.POLL).build());
                AutoCloseable listening = polling.listen(PARTITION, wakeUps::add)) {
            long published = published();
            get(polling.schedule(PARTITION, List.of(message("a").build())));
            get(polling.setPaused(PARTITION, true));
            get(polling.setPaused(PARTITION, false));
            get(polling.reschedule(PARTITION, List.of("a"), Delay.NONE));
            assertThat(published()).isEqualTo(published);
            assertThat(channels()).containsExactly(raw.name(""));
            assertThat(wakeUps).isEmpty();
            assertThat(listening).isNotNull();
        }
    }

    @Test
    void closingTheStoreEndsTheSubscription() {
        store.close();

        await().until(() -> channels().isEmpty());
        store = open(options());
        MessageStore closed = store;
        closed.close();
        assertThat(closed.listen(PARTITION, wakeUps::add)).isNotNull();
        store = open(options());
    }

    private void retry(Claimed claimed, Duration delay, int priority) {
        get(store.retry(PARTITION, nextCall(), List.of(new Retry(claimed.lease(), 1, delay, priority, "oh"))));
    }

    private long next() throws InterruptedException {
        Long wait = wakeUps.poll(20, TimeUnit.SECONDS);
        assertThat(wait).as("woken within 20 s").isNotNull();
        return wait;
    }

    private List<String> channels() {
        return redis.pubsubChannels(prefix + "*");
    }

    private long published() {
        return redis.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_publish:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll(".*calls=(\\d+).*", "$1")))
                .sum();
    }
}
