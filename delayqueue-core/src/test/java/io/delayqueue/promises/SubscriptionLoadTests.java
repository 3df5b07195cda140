package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.DelayQueueObserver;
import io.delayqueue.MessageHandler;
import io.delayqueue.Subscription;
import io.delayqueue.SubscriptionLoad;
import io.delayqueue.testsupport.TestQueue;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A subscription tells what it has to do, and that its claim loop lives; an observer is told how much each claim brought. */
class SubscriptionLoadTests {

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server);

    private final CountDownLatch end = new CountDownLatch(1);
    private final MessageHandler blocking = (message, delivery) -> end.await();

    @AfterEach
    void goOn() {
        end.countDown();
        test.server().resume();
    }

    @Test
    void handlersTakeSlotsAndBytes() {
        Subscription subscription = test.consume(TestQueue.options().concurrency(5), blocking);
        TestQueue.await().until(() -> subscription.load().slots() == 5);
        assertThat(subscription.load().freeSlots()).isEqualTo(5);
        assertThat(subscription.load().bytes()).isZero();

        test.scheduleMany(3);

        TestQueue.await().until(() -> subscription.load().freeSlots() == 2);
        assertThat(subscription.load().bytes()).isBetween(3L * TestQueue.bytes("payload").length, 3 * 1_000L);
        assertThat(subscription.load().prefetched()).isZero();
        assertThat(subscription.load().unsettled()).isZero();

        end.countDown();

        test.awaitAcked(3);
        TestQueue.await()
                .untilAsserted(() -> assertThat(withoutTime(subscription.load()))
                        .isEqualTo(new SubscriptionLoad(5, 5, 0, 0, 0, Duration.ZERO)));
    }

    @Test
    void messagesThatAreClaimedEarlyArePrefetched() {
        Duration ahead = Duration.ofSeconds(1);
        DelayQueueClient queue = test.open(options -> options.claimAhead(ahead));
        int slots = 100;
        Subscription subscription = TestQueue.consume(queue, TestQueue.options().concurrency(slots), blocking);

        // the early ones are due by then, should the machine stall: then others follow
        AtomicInteger scheduled = new AtomicInteger();
        AtomicBoolean prefetched = new AtomicBoolean();
        do {
            for (int i = 0; i < 3; i++) {
                queue.schedule(TestQueue.message()
                        .id("early" + scheduled.incrementAndGet())
                        .delay(ahead)
                        .build());
            }
            // a claim of a due message brings early ones along
            queue.schedule(
                    TestQueue.message().id("due" + scheduled.incrementAndGet()).build());
            TestQueue.await().until(() -> {
                prefetched.set(subscription.load().prefetched() > 0);
                return prefetched.get() || subscription.load().freeSlots() == slots - scheduled.get();
            });
        } while (!prefetched.get() && scheduled.get() < slots / 2);

        assertThat(prefetched).as("prefetched early ones were seen").isTrue();
        TestQueue.await().until(() -> subscription.load().freeSlots() == slots - scheduled.get());
        assertThat(subscription.load().prefetched()).as("all have begun").isZero();
    }

    @Test
    void settlementsThatRedisDoesNotAnswerAreUnsettled() {
        Subscription subscription = test.consume(TestQueue.options().concurrency(5), blocking);
        test.scheduleMany(4);
        TestQueue.await().until(() -> subscription.load().freeSlots() == 1);
        test.server().pause();

        end.countDown();

        TestQueue.await().until(() -> subscription.load().unsettled() == 4);
        TestQueue.await()
                .alias("a slot does not wait for Redis")
                .atMost(TestQueue.COMMAND_TIMEOUT.dividedBy(4))
                .until(() -> subscription.load().freeSlots() == 5);
        test.server().resume();
        TestQueue.await().until(() -> subscription.load().unsettled() == 0);
    }

    @Test
    void aLoopThatLooksForMessagesIsToldFromOneThatDoesNot() {
        Duration guard = Duration.ofMillis(100);
        Subscription living =
                TestQueue.consume(test.open(options -> options.guardInterval(guard)), TestQueue.options(), blocking);
        Subscription paused =
                TestQueue.consume(test.open(options -> options.guardInterval(guard)), TestQueue.options(), blocking);
        paused.pause();
        // its guard interval is an hour, and nothing wakes it
        Subscription resting = TestQueue.consume(test.open(options -> options), TestQueue.options(), blocking);

        TestQueue.await().until(() -> resting.load().sincePass().compareTo(Duration.ofSeconds(2)) > 0);

        for (Subscription looking : List.of(living, paused)) {
            TestQueue.await().until(() -> looking.load().sincePass().compareTo(Duration.ofSeconds(1)) < 0);
        }
    }

    @Test
    void aStoppedSubscriptionHasNoLoad() {
        Subscription subscription = test.consume(TestQueue.options(), blocking);
        TestQueue.await().until(() -> subscription.load().slots() > 0);

        subscription.close();

        assertThat(subscription.load()).isEqualTo(SubscriptionLoad.NONE);
    }

    @Test
    void anObserverGetsTheNumberOfMessagesOfEachClaim() {
        List<Integer> claims = new CopyOnWriteArrayList<>();
        DelayQueueClient queue = test.open(options -> options.observer(new DelayQueueObserver() {
            @Override
            public void claimed(String topic, int count) {
                assertThat(topic).isEqualTo(TestQueue.TOPIC);
                claims.add(count);
            }
        }));
        test.scheduleMany(7);

        TestQueue.consume(queue, TestQueue.options().concurrency(3), (message, delivery) -> {});

        test.awaitAcked(7);
        TestQueue.await()
                .untilAsserted(() ->
                        assertThat(claims.stream().mapToInt(each -> each).sum()).isEqualTo(7));
        assertThat(claims).allSatisfy(count -> assertThat(count).isBetween(0, 7));
    }

    private static SubscriptionLoad withoutTime(SubscriptionLoad load) {
        return new SubscriptionLoad(
                load.slots(), load.freeSlots(), load.prefetched(), load.unsettled(), load.bytes(), Duration.ZERO);
    }
}
