package io.delayqueue.sample.replay;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Writes {@code orders.csv}: one invented day of a web shop, the same for the same seed on every machine.
 *
 * <ul>
 *   <li>{@value #ORDERS} orders. Their times are independent draws from {@link #HOURS}, uniform within an hour: a Poisson
 *       process with a daily profile, given its count.
 *   <li>{@value #SHARE_NEVER_PAID} of them are never paid.
 *   <li>{@value #SHARE_LAST_MINUTE} are paid by customers who watch the clock: normal around 29 minutes after placing,
 *       standard deviation 45 s. Some of them miss the half hour, and many race with the closing of their order.
 *   <li>The others are paid after a log-normal time: median 95 s, sigma 1.1.
 * </ul>
 */
final class OrderFileGenerator {

    static final int ORDERS = 12_000;
    static final long SEED = 20260302;
    static final double SHARE_NEVER_PAID = 0.20;
    static final double SHARE_LAST_MINUTE = 0.06;

    private static final Instant MIDNIGHT = Instant.parse("2026-03-02T00:00:00Z");

    /** Weight of each hour of the day: quiet at night, a bump at lunch, busiest in the evening. */
    private static final int[] HOURS = {
        9, 5, 3, 2, 2, 4, 9, 18, 30, 40, 46, 50, 54, 50, 46, 46, 50, 56, 66, 82, 96, 88, 56, 24
    };

    private final Random random = new Random(SEED);

    private OrderFileGenerator() {}

    /** Run in the module's folder. */
    public static void main(String[] args) throws IOException {
        Files.write(Path.of("src/main/resources/orders.csv"), lines());
    }

    static List<String> lines() {
        return new OrderFileGenerator().generate();
    }

    private List<String> generate() {
        List<String> lines = new ArrayList<>();
        lines.add("# Generated, not real: io.delayqueue.sample.replay.OrderFileGenerator, seed " + SEED);
        lines.add("order_id,placed_at,paid_at");
        int number = 0;
        for (long placed :
                LongStream.generate(this::placedMillis).limit(ORDERS).sorted().toArray()) {
            String id = String.format(Locale.ROOT, "w%05d", ++number);
            lines.add(id + "," + MIDNIGHT.plusMillis(placed) + "," + paidAt(MIDNIGHT.plusMillis(placed)));
        }
        return lines;
    }

    private long placedMillis() {
        int left = random.nextInt(IntStream.of(HOURS).sum());
        int hour = 0;
        while (left >= HOURS[hour]) {
            left -= HOURS[hour++];
        }
        return Duration.ofHours(hour).toMillis() + random.nextInt(3_600_000);
    }

    private String paidAt(Instant placed) {
        double kind = random.nextDouble();
        double gauss = random.nextGaussian();
        if (kind < SHARE_NEVER_PAID) {
            return "";
        }
        double seconds = kind < SHARE_NEVER_PAID + SHARE_LAST_MINUTE
                ? 29 * 60 + 45 * gauss
                : StrictMath.exp(StrictMath.log(95) + 1.1 * gauss);
        return placed.plusMillis(Math.round(seconds * 1000)).toString();
    }
}
