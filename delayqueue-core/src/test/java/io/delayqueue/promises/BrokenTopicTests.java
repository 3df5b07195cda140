package io.delayqueue.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delayqueue.DelayQueueException;
import io.delayqueue.OutgoingMessage;
import io.delayqueue.Subscription;
import io.delayqueue.testsupport.Deliveries;
import io.delayqueue.testsupport.TestQueue;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A key of one topic holds a value of the wrong type. */
class BrokenTopicTests {

    private static final String BROKEN = "broken";

    @RegisterExtension
    final TestQueue test = new TestQueue();

    @Test
    void otherTopicsKeepWorkingAndTheBrokenOneRecoversOnceItIsRepaired() throws Exception {
        test.redis().set("dq:{broken:0}:scheduled", "not a sorted set");
        Deliveries ofBroken = new Deliveries(test);
        Deliveries deliveries = new Deliveries(test);
        Subscription broken = test.queue().subscribe(BROKEN, TestQueue.options().build(), ofBroken);
        broken.start();
        Subscription healthy = test.consume(TestQueue.options(), deliveries);

        TestQueue.await().until(() -> !broken.isHealthy());
        assertThatThrownBy(() -> test.queue().schedule(toBroken()))
                .isInstanceOfSatisfying(
                        DelayQueueException.class, e -> assertThat(e.topic()).isEqualTo(BROKEN))
                .hasMessageContaining("WRONGTYPE");
        List<OutgoingMessage> many = Stream.generate(
                        () -> OutgoingMessage.to(BROKEN).payload(new byte[0]).build())
                .limit(10)
                .toList();
        assertThatThrownBy(() -> test.queue().scheduleAll(many)).hasMessageContaining("WRONGTYPE");
        assertThat(test.redis().exists("dq:{broken:0}:messages"))
                .as("nothing was written")
                .isZero();
        test.scheduleMany(100);
        assertThat(test.awaitAcked(100).unaccounted()).isZero();
        assertThat(healthy.isHealthy()).isTrue();

        test.redis().del("dq:{broken:0}:scheduled");
        test.queue().schedule(toBroken());

        assertThat(ofBroken.next().id()).isEqualTo("a");
        TestQueue.await().until(broken::isHealthy);
    }

    private static OutgoingMessage toBroken() {
        return OutgoingMessage.to(BROKEN).id("a").payload(new byte[0]).build();
    }
}
