package io.delayqueue.benchmarks.gateway;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * Calls of 16 clients as fast as they come.
 *
 * @param perSecond messages a second
 * @param calls time of each call in microseconds
 * @param cpu processor time for each message
 */
record Load(double perSecond, Histogram calls, Cpu cpu) {

    private static final int CLIENTS = 16;

    /**
     * Runs it.
     *
     * @param seconds time after which no call begins
     * @param most messages after which no call begins
     * @param call makes one call, and tells of how many messages
     * @param cpu tells the processor time so far
     */
    static Load run(
            Supplier<QueueClient> clients,
            double seconds,
            long most,
            ToIntFunction<QueueClient> call,
            Supplier<Cpu> cpu)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        Histogram calls = new ConcurrentHistogram(TimeUnit.MINUTES.toMicros(1), 3);
        LongAdder messages = new LongAdder();
        List<QueueClient> all = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                all.add(clients.get());
            }
            Cpu before = cpu.get();
            long begin = System.nanoTime();
            long end = begin + (long) (seconds * 1e9);
            List<Future<?>> futures = new ArrayList<>();
            for (QueueClient client : all) {
                futures.add(threads.submit(() -> {
                    while (System.nanoTime() < end && messages.sum() < most) {
                        long start = System.nanoTime();
                        messages.add(call.applyAsInt(client));
                        calls.recordValue((System.nanoTime() - start) / 1_000);
                    }
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
            double perSecond = messages.sum() / ((System.nanoTime() - begin) / 1e9);
            return new Load(perSecond, calls, cpu.get().since(before, Math.max(1, messages.sum())));
        } finally {
            all.forEach(QueueClient::close);
            threads.shutdownNow();
        }
    }

    /** The medians of rate and processor time, and the times of the run whose rate is the median. */
    static Load median(List<Load> loads) {
        Load byRate = middle(loads, Load::perSecond);
        return new Load(
                byRate.perSecond,
                byRate.calls,
                new Cpu(
                        middle(loads, load -> load.cpu.server()).cpu.server(),
                        middle(loads, load -> load.cpu.redis()).cpu.redis()));
    }

    private static Load middle(List<Load> loads, ToDoubleFunction<Load> figure) {
        return loads.stream()
                .sorted(Comparator.comparingDouble(figure))
                .skip(loads.size() / 2)
                .findFirst()
                .orElseThrow();
    }

    @Override
    public String toString() {
        return String.format(
                "%,9.0f/s   %s   p50 %6.2f ms   p99 %7.2f ms",
                perSecond, cpu, calls.getValueAtPercentile(50) / 1e3, calls.getValueAtPercentile(99) / 1e3);
    }
}
