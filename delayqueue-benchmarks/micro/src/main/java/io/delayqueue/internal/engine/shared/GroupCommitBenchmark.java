package io.delayqueue.internal.engine.shared;

import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** The cost of group commit without Redis: batches are answered at once. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class GroupCommitBenchmark {

    private static final int MANY = 100;

    private final GroupCommit<String, Boolean> commits = new AnsweredAtOnce();
    private final List<String> many =
            IntStream.range(0, MANY).mapToObj(i -> "message-" + i).toList();

    /** One item by one thread. */
    @Benchmark
    public @Nullable Boolean one() {
        return commits.submit("message").join();
    }

    /** One item by each of two threads that compete. */
    @Benchmark
    @Threads(2)
    public @Nullable Boolean oneOfTwo() {
        return commits.submit("message").join();
    }

    /** Many items at once, for each of them. */
    @Benchmark
    @OperationsPerInvocation(MANY)
    public List<CompletableFuture<Boolean>> oneOfMany() {
        List<CompletableFuture<Boolean>> answers =
                many.stream().map(item -> new CompletableFuture<Boolean>()).toList();
        commits.submitAll(many, answers);
        return answers;
    }

    private static final class AnsweredAtOnce extends GroupCommit<String, Boolean> {

        @Override
        protected CompletableFuture<List<@Nullable Boolean>> send(List<String> batch) {
            return CompletableFuture.completedFuture(Collections.nCopies(batch.size(), true));
        }

        @Override
        protected Object key(String item) {
            return item;
        }

        @Override
        protected int weight(String item) {
            return 100;
        }

        @Override
        protected Throwable refusal(String item) {
            return new IllegalStateException(item);
        }
    }
}
