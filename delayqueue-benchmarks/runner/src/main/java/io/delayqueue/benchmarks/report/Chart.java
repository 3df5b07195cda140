package io.delayqueue.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws plots as SVG: a few KB of text that needs no font of this machine. Margins are as wide as the longest label. */
final class Chart {

    private static final int WIDTH = 860;
    private static final double WIDTH_OF_LETTER = 7.5;
    private static final int TOP = 60;
    private static final int BAR = 15;
    private static final List<String> COLOURS =
            List.of("#c0392b", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#555555", "#117a65", "#d98880");

    /** Tell lines apart without colours, too. */
    private static final List<String> MARKERS = List.of("●", "■", "▲", "◆", "○", "□", "△", "◇");

    private final StringBuilder svg = new StringBuilder();

    private Chart(String title, int height) {
        add(
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='13'>",
                WIDTH, height);
        add("<rect width='%d' height='%d' fill='white'/>", WIDTH, height);
        add("<text x='12' y='22' font-weight='bold'>%s</text>", escaped(title));
    }

    /**
     * For each name a bar of each series, as long as its median, with a line from its minimum to its maximum.
     *
     * @param rows for each name, a value of each series
     * @param logarithmic whether each tenfold has the same length
     */
    static String bars(String title, List<String> series, Map<String, List<Stat>> rows, boolean logarithmic) {
        int rowHeight = BAR * series.size() + 12;
        Chart chart = new Chart(title, TOP + rowHeight * rows.size() + 10);
        int left = margin(rows.keySet());
        List<Stat> all = rows.values().stream().flatMap(List::stream).toList();
        Scale scale = Scale.of(all, logarithmic, left, WIDTH - 90);
        for (int i = 0; series.size() > 1 && i < series.size(); i++) {
            chart.text(left + 110 * i, 46, "start", COLOURS.get(i), "■ " + series.get(i));
        }
        int y = TOP;
        for (Map.Entry<String, List<Stat>> row : rows.entrySet()) {
            chart.text(left - 8, y + BAR * series.size() / 2 + 5, "end", "black", row.getKey());
            for (int i = 0; i < row.getValue().size(); i++) {
                // a single series shows the first name, this library, in another colour than its peers
                int colour = series.size() > 1 || y == TOP ? i : i + 1;
                chart.bar(scale, row.getValue().get(i), y + BAR * i, COLOURS.get(colour));
            }
            y += rowHeight;
        }
        return chart.finished();
    }

    private void bar(Scale scale, Stat stat, int y, String colour) {
        double end = scale.at(stat.median());
        add(
                "<rect x='%.1f' y='%d' width='%.1f' height='%d' fill='%s'/>",
                scale.from(), y, Math.max(1, end - scale.from()), BAR - 2, colour);
        add(
                "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='black'/>",
                scale.at(stat.min()), y + BAR / 2 - 1, scale.at(stat.max()), y + BAR / 2 - 1);
        text((int) scale.at(stat.max()) + 6, y + BAR - 4, "start", "black", Stat.text(stat.median()));
    }

    /** One line a name over the same points, on a logarithmic scale; a line may have fewer points than others. */
    static String lines(String title, List<String> points, Map<String, List<Stat>> series) {
        int height = 340;
        Chart chart = new Chart(title, height + 60);
        int right = WIDTH - margin(series.keySet());
        List<Stat> all = series.values().stream().flatMap(List::stream).toList();
        Scale scale = Scale.of(all, true, height, TOP);
        int left = margin(List.of(Stat.text(scale.high()), Stat.text(scale.low())));
        for (double power = scale.low(); power <= scale.high(); power *= 10) {
            chart.add(
                    "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>",
                    left, scale.at(power), right, scale.at(power));
            chart.text(left - 8, (int) scale.at(power) + 4, "end", "black", Stat.text(power));
        }
        int first = left + 40;
        double step = (right - first - 50) / (double) Math.max(1, points.size() - 1);
        for (int i = 0; i < points.size(); i++) {
            chart.text((int) (first + step * i), height + 30, "middle", "black", points.get(i));
        }
        int number = 0;
        for (Map.Entry<String, List<Stat>> line : series.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            String marker = MARKERS.get(number % MARKERS.size());
            StringBuilder path = new StringBuilder();
            for (int i = 0; i < line.getValue().size(); i++) {
                double y = scale.at(line.getValue().get(i).median());
                path.append(String.format(Locale.ROOT, "%.1f,%.1f ", first + step * i, y));
                chart.range(scale, line.getValue().get(i), first + step * i + 2 * number, colour);
                chart.text((int) (first + step * i), (int) y + 5, "middle", colour, marker);
            }
            chart.add("<polyline points='%s' fill='none' stroke='%s' stroke-width='2'/>", path, colour);
            chart.text(right + 10, TOP + 22 * number, "start", colour, marker + " " + line.getKey());
            number++;
        }
        return chart.finished();
    }

    private void range(Scale scale, Stat stat, double x, String colour) {
        add(
                "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>",
                x, scale.at(stat.min()), x, scale.at(stat.max()), colour);
    }

    private static int margin(Iterable<String> names) {
        int longest = 0;
        for (String name : names) {
            longest = Math.max(longest, name.length());
        }
        return (int) (longest * WIDTH_OF_LETTER) + 30;
    }

    private void text(int x, int y, String anchor, String colour, String text) {
        add("<text x='%d' y='%d' text-anchor='%s' fill='%s'>%s</text>", x, y, anchor, colour, escaped(text));
    }

    private void add(String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private String finished() {
        return svg.append("</svg>\n").toString();
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }

    /**
     * Maps values to places.
     *
     * @param low value at the begin
     * @param high value at the end
     * @param from place of the lowest value
     * @param to place of the highest value
     */
    private record Scale(double low, double high, boolean logarithmic, double from, double to) {

        static Scale of(List<Stat> stats, boolean logarithmic, double from, double to) {
            double max = stats.stream().mapToDouble(Stat::max).max().orElse(1);
            if (!logarithmic) {
                return new Scale(0, Math.max(max, Double.MIN_NORMAL), false, from, to);
            }
            double min = stats.stream()
                    .mapToDouble(Stat::min)
                    .filter(value -> value > 0)
                    .min()
                    .orElse(1);
            double low = Math.pow(10, Math.floor(Math.log10(min)));
            double high = Math.pow(10, Math.ceil(Math.log10(Math.max(max, 2 * low))));
            return new Scale(low, high, true, from, to);
        }

        double at(double value) {
            double share = logarithmic ? Math.log10(Math.max(value, low) / low) / Math.log10(high / low) : value / high;
            return from + (to - from) * share;
        }
    }
}
