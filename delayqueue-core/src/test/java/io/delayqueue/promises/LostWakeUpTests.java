package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.delayqueue.DelayQueueClient;
import io.delayqueue.ScheduleOutcome;
import io.delayqueue.WakeUp;
import io.delayqueue.testsupport.ClaimCounter;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Promise 3: a lost wake-up delays a message by the guard interval at most; a restored subscription loses none. */
class LostWakeUpTests {

    private static final Duration SHORT_GUARD = Duration.ofMillis(500);

    @RegisterExtension
    final TestQueue test = new TestQueue(server -> server);

    @Test
    void messageScheduledWhileTheSubscriptionIsDownIsDeliveredOnceItIsBack() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        ClaimCounter claims = new ClaimCounter();
        TestQueue.consume(test.open(options -> options.observer(claims)), TestQueue.options(), deliveries);
        test.schedule("before");
        assertThat(deliveries.next().id()).isEqualTo("before");
        TestQueue.await().until(() -> test.stats().totals().acked() == 1);
        claims.awaitSilence();

        test.redis().configSet("maxclients", "1");
        test.redis().clientKill(KillArgs.Builder.typePubsub());
        assertThat(test.redis().pubsubNumsub("dq:{orders:0}")).containsEntry("dq:{orders:0}", 0L);
        test.schedule("while it is down");
        assertThat(test.stats().pending().ready()).isEqualTo(1);
        test.redis().configSet("maxclients", "1000");

        // a second for the subscription to be tried again
        assertThat(deliveries.nextWithin(Duration.ofSeconds(5)).id()).isEqualTo("while it is down");
        test.awaitDrained();
    }

    @Test
    void subscriptionKilledAgainAndAgainLosesNoWakeUp() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        TestQueue.consume(test.open(options -> options), TestQueue.options(), deliveries);

        for (int i = 0; i < 10; i++) {
            TestQueue.await().until(() -> test.redis().clientKill(KillArgs.Builder.typePubsub()) == 1);
            test.schedule("message" + i);
            assertThat(deliveries.nextOnTime().id()).isEqualTo("message" + i);
        }
        test.awaitDrained();
    }

    @Test
    void unannouncedMessageIsFoundByTheGuard() throws Exception {
        Deliveries deliveries = new Deliveries(test);
        ClaimCounter claims = new ClaimCounter();
        DelayQueueClient consuming = test.open(options ->
                options.wakeUp(WakeUp.POLL).guardInterval(SHORT_GUARD).observer(claims));
        TestQueue.consume(consuming, TestQueue.options(), deliveries);
        claims.await(1);

        test.schedule("unannounced");

        assertThat(deliveries.nextWithin(SHORT_GUARD).id()).isEqualTo("unannounced");
        test.awaitDrained();
    }

    @Test
    void userWithoutPermissionForTheChannelIsLateByTheGuardIntervalOnly() throws Exception {
        test.redis()
                .dispatch(
                        io.lettuce.core.protocol.CommandType.ACL,
                        new io.lettuce.core.output.StatusOutput<>(io.lettuce.core.codec.StringCodec.UTF8),
                        new io.lettuce.core.protocol.CommandArgs<>(io.lettuce.core.codec.StringCodec.UTF8)
                                .add("SETUSER")
                                .add("app")
                                .add("on")
                                .add(">secret")
                                .add("~dq*")
                                .add("+@all")
                                .add("resetchannels"));
        RedisClient client =
                TestQueue.client("redis://app:secret@127.0.0.1:" + test.server().port());
        Deliveries deliveries = new Deliveries(test);
        DelayQueueClient denied = test.open(client, options -> options.guardInterval(SHORT_GUARD));
        TestQueue.consume(denied, TestQueue.options(), deliveries);

        for (String id : new String[] {"first", "second", "third"}) {
            assertThat(denied.schedule(TestQueue.message().id(id).build()).outcome())
                    .isEqualTo(ScheduleOutcome.SCHEDULED);
            assertThat(deliveries.nextWithin(SHORT_GUARD).id()).isEqualTo(id);
        }
        test.awaitDrained();
        denied.close();
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    }
}
