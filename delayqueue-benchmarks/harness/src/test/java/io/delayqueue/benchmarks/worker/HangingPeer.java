package io.delayqueue.benchmarks.worker;

import io.delayqueue.benchmarks.peer.Handler;
import io.delayqueue.benchmarks.peer.Outgoing;
import io.delayqueue.benchmarks.peer.Peer;
import io.delayqueue.benchmarks.peer.PeerSettings;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A peer whose server never answers. */
public final class HangingPeer implements Peer {

    /** Its output, right before it hangs. */
    static final String HANGS = "hangs";

    /** Does not return. */
    public HangingPeer(PeerSettings settings) throws InterruptedException {
        System.out.println(HANGS);
        new CountDownLatch(1).await();
    }

    @Override
    public void schedule(Outgoing message) {}

    @Override
    public AutoCloseable consume(List<String> topics, int concurrency, Handler handler) {
        return () -> {};
    }

    @Override
    public void close() {}
}
