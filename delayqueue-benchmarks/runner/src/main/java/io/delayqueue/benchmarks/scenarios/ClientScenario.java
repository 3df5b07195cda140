package io.delayqueue.benchmarks.scenarios;

import io.delayqueue.benchmarks.Contestant;
import io.delayqueue.benchmarks.Contestants;
import io.delayqueue.benchmarks.Lab;
import io.delayqueue.benchmarks.Size;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The client's own hot paths without a server, by JMH. Its iterations are the rounds. */
public final class ClientScenario implements Scenario {

    /** Nanoseconds a message. */
    public static final String NANOS = "nanos";

    private static final String BYTES_OF_JMH = "gc.alloc.rate.norm";
    private static final int BENCHMARKS = 9;
    private static final int WARM_UP = 5;

    @Override
    public String name() {
        return "client";
    }

    @Override
    public Duration estimate(Lab lab) {
        return Duration.ofSeconds(BENCHMARKS * lab.size().pick(WARM_UP + lab.rounds() + 2L, 1L));
    }

    @Override
    public String warmUp(Size size) {
        return size.pick(WARM_UP + " iterations of warm-up", "no warm-up");
    }

    @Override
    public void run(Lab lab) {
        for (Contestant core : lab.contestants(Contestants.CORE)) {
            try {
                measure(lab, core);
            } catch (IOException | RuntimeException e) {
                lab.failed("the client's own paths could not be measured: " + e.getMessage());
            }
        }
    }

    private void measure(Lab lab, Contestant core) throws IOException {
        Path result = Files.createTempFile("delayqueue-jmh", ".json");
        try {
            lab.run("micro", jmh(lab, result));
            read(lab, core, JsonMapper.shared().readTree(Files.readString(result)));
        } finally {
            Files.delete(result);
        }
    }

    private static List<String> jmh(Lab lab, Path result) {
        String seconds = lab.size().pick("1s", "50ms");
        return List.of(
                "org.openjdk.jmh.Main",
                "-f",
                lab.size().pick("1", "0"),
                "-wi",
                Integer.toString(lab.size().pick(WARM_UP, 0)),
                "-w",
                seconds,
                "-i",
                Integer.toString(lab.rounds()),
                "-r",
                seconds,
                "-foe",
                "true",
                "-prof",
                "gc",
                "-rf",
                "json",
                "-rff",
                result.toString());
    }

    private void read(Lab lab, Contestant core, JsonNode benchmarks) {
        for (JsonNode benchmark : benchmarks) {
            JsonNode nanos = iterations(benchmark.get("primaryMetric"));
            JsonNode bytes = iterations(benchmark.get("secondaryMetrics").get(BYTES_OF_JMH));
            for (int i = 0; i < nanos.size(); i++) {
                Map<String, Double> figures = new HashMap<>();
                figures.put(NANOS, nanos.get(i).asDouble());
                figures.put(Figures.ALLOCATED, bytes.get(i).asDouble());
                lab.record(name(), core, shortName(benchmark.get("benchmark").asString()), i + 1, figures);
            }
        }
    }

    /** The iterations of the only fork. */
    private static JsonNode iterations(JsonNode metric) {
        return metric.get("rawData").get(0);
    }

    /** {@code Envelope.encode} for {@code io.delayqueue.internal.redis.EnvelopeBenchmark.encode}. */
    private static String shortName(String benchmark) {
        String[] parts = benchmark.split("\\.");
        return parts[parts.length - 2].replace("Benchmark", "") + "." + parts[parts.length - 1];
    }
}
