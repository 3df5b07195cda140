package io.delayqueue.benchmarks.report;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Draws plots as SVG. */
final class Chart {

    private static final int WIDTH = 720;
    private static final int LEFT = 150;
    private static final int RIGHT = 130;
    private static final List<String> COLOURS =
            List.of("#c0392b", "#555555", "#999999", "#2471a3", "#1e8449", "#b9770e", "#7d3c98", "#117a65", "#d98880");

    private Chart() {}

    /** One bar a name, as long as its median, with a line from its minimum to its maximum. */
    static String bars(String title, Map<String, Stat> stats) {
        double max = stats.values().stream().mapToDouble(Stat::max).max().orElse(1);
        int height = 40 + 26 * stats.size();
        StringBuilder svg = start(title, height);
        double scale = (WIDTH - LEFT - RIGHT) / max;
        int row = 0;
        for (Map.Entry<String, Stat> entry : stats.entrySet()) {
            Stat stat = entry.getValue();
            int y = 36 + 26 * row;
            text(svg, LEFT - 8, y + 13, "end", entry.getKey());
            add(
                    svg,
                    "<rect x='%d' y='%d' width='%.1f' height='18' fill='%s'/>",
                    LEFT,
                    y,
                    Math.max(1, stat.median() * scale),
                    COLOURS.get(row == 0 ? 0 : 3));
            add(
                    svg,
                    "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='black'/>",
                    LEFT + stat.min() * scale,
                    y + 9,
                    LEFT + stat.max() * scale,
                    y + 9);
            text(svg, (int) (LEFT + stat.max() * scale) + 8, y + 13, "start", Stat.text(stat.median()));
            row++;
        }
        return svg.append("</svg>\n").toString();
    }

    /** One line a name over the same points, on a logarithmic scale. Missing values are {@code NaN}. */
    static String lines(String title, List<String> points, Map<String, List<Double>> series) {
        int height = 380;
        int top = 40;
        int bottom = 330;
        double min = Double.MAX_VALUE;
        double max = Double.MIN_VALUE;
        for (List<Double> values : series.values()) {
            for (double value : values) {
                if (value > 0) {
                    min = Math.min(min, value);
                    max = Math.max(max, value);
                }
            }
        }
        int low = (int) Math.floor(Math.log10(Math.min(min, max)));
        int high = Math.max(low + 1, (int) Math.ceil(Math.log10(max)));
        StringBuilder svg = start(title, height);
        for (int power = low; power <= high; power++) {
            double y = bottom - (bottom - top) * (power - low) / (double) (high - low);
            add(svg, "<line x1='70' y1='%.1f' x2='%d' y2='%.1f' stroke='#dddddd'/>", y, WIDTH - RIGHT, y);
            text(
                    svg,
                    62,
                    (int) y + 4,
                    "end",
                    power < 0
                            ? Double.toString(Math.pow(10, power))
                            : Stat.text(Math.pow(10, power)).replace(".00", "").replace(".0", ""));
        }
        double step = points.size() > 1 ? (WIDTH - RIGHT - 110) / (double) (points.size() - 1) : 0;
        for (int i = 0; i < points.size(); i++) {
            text(svg, (int) (90 + step * i), bottom + 22, "middle", points.get(i));
        }
        int number = 0;
        for (Map.Entry<String, List<Double>> entry : series.entrySet()) {
            String colour = COLOURS.get(number % COLOURS.size());
            StringBuilder path = new StringBuilder();
            double lastY = bottom;
            double lastX = 90;
            for (int i = 0; i < points.size(); i++) {
                double value = entry.getValue().get(i);
                if (!Double.isNaN(value)) {
                    double share = value > 0 ? (Math.log10(value) - low) / (high - low) : 0;
                    lastX = 90 + step * i;
                    lastY = bottom - (bottom - top) * share;
                    path.append(String.format(Locale.ROOT, "%.1f,%.1f ", lastX, lastY));
                }
            }
            add(
                    svg,
                    "<polyline points='%s' fill='none' stroke='%s' stroke-width='%d'/>",
                    path,
                    colour,
                    number == 0 ? 3 : 2);
            add(
                    svg,
                    "<rect x='%d' y='%d' width='12' height='4' fill='%s'/>",
                    WIDTH - RIGHT + 6,
                    46 + 20 * number,
                    colour);
            text(svg, WIDTH - RIGHT + 24, 52 + 20 * number, "start", entry.getKey());
            number++;
        }
        return svg.append("</svg>\n").toString();
    }

    private static StringBuilder start(String title, int height) {
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' font-family='sans-serif' font-size='13'>",
                WIDTH,
                height);
        add(svg, "<rect width='%d' height='%d' fill='white'/>", WIDTH, height);
        add(svg, "<text x='12' y='22' font-weight='bold'>%s</text>", escaped(title));
        return svg;
    }

    private static void text(StringBuilder svg, int x, int y, String anchor, String text) {
        add(svg, "<text x='%d' y='%d' text-anchor='%s'>%s</text>", x, y, anchor, escaped(text));
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;");
    }
}
