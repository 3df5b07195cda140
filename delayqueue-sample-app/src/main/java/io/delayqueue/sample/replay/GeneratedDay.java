package io.delayqueue.sample.replay;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * One invented day of a web shop, the same on every machine.
 *
 * <ul>
 *   <li>{@value #ORDERS} orders. Their times are independent draws from {@link #WEIGHT_OF_HOUR}, uniform within an hour: a Poisson
 *       process with a daily profile, given its count.
 *   <li>{@value #SHARE_NEVER_PAID} of them are never paid.
 *   <li>{@value #SHARE_LAST_MINUTE} are paid shortly before or after the half hour that a customer has to pay: normal around 29 minutes,
 *       standard deviation 45 s.
 *   <li>The others are paid after a log-normal time: median 95 s, sigma 1.1.
 * </ul>
 */
final class GeneratedDay {

    static final int ORDERS = 12_000;

    private static final long SEED = 20260302;
    private static final double SHARE_NEVER_PAID = 0.20;
    private static final double SHARE_LAST_MINUTE = 0.06;
    private static final Instant MIDNIGHT = Instant.parse("2026-03-02T00:00:00Z");

    /** Quiet at night, a bump at lunch, busiest in the evening. */
    private static final int[] WEIGHT_OF_HOUR = {
        9, 5, 3, 2, 2, 4, 9, 18, 30, 40, 46, 50, 54, 50, 46, 46, 50, 56, 66, 82, 96, 88, 56, 24
    };

    private final Random random = new Random(SEED);

    private GeneratedDay() {}

    /** The orders of the day by the time they are placed. */
    static List<ReplayOrder> orders() {
        return new GeneratedDay().generate();
    }

    private List<ReplayOrder> generate() {
        long[] placedMillis =
                LongStream.generate(this::placedMillis).limit(ORDERS).sorted().toArray();
        List<ReplayOrder> orders = new ArrayList<>(ORDERS);
        for (long millis : placedMillis) {
            String id = String.format(Locale.ROOT, "w%05d", orders.size() + 1);
            Instant placed = MIDNIGHT.plusMillis(millis);
            orders.add(new ReplayOrder(id, placed, paidAt(placed)));
        }
        return orders;
    }

    private long placedMillis() {
        int left = random.nextInt(IntStream.of(WEIGHT_OF_HOUR).sum());
        int hour = 0;
        while (left >= WEIGHT_OF_HOUR[hour]) {
            left -= WEIGHT_OF_HOUR[hour++];
        }
        return Duration.ofHours(hour).toMillis() + random.nextInt(3_600_000);
    }

    private @Nullable Instant paidAt(Instant placed) {
        double share = random.nextDouble();
        double gauss = random.nextGaussian();
        if (share < SHARE_NEVER_PAID) {
            return null;
        }
        double seconds = share < SHARE_NEVER_PAID + SHARE_LAST_MINUTE
                ? 29 * 60 + 45 * gauss
                : StrictMath.exp(StrictMath.log(95) + 1.1 * gauss);
        return placed.plusMillis(Math.round(seconds * 1000));
    }
}
