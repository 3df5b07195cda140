package io.delayqueue.dashboard.testsupport;

import static org.junit.jupiter.api.Assumptions.abort;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The machine's Chromium, driven by the machine's Node: neither is downloaded. {@code DELAYQUEUE_CHROMIUM} and
 * {@code DELAYQUEUE_NODE} name others.
 */
public final class Chromium implements AutoCloseable {

    /** Width and height of a desktop's window. */
    private static final int[] DESKTOP = {1280, 900};

    /** Generous, since builds share a machine. */
    private static final double PATIENCE_MILLIS = 60_000;

    private static final String REQUIRED = "DELAYQUEUE_REQUIRED_PROGRAMS";

    private final Playwright playwright;
    private final Browser browser;

    private Chromium(Playwright playwright, Browser browser) {
        this.playwright = playwright;
        this.browser = browser;
    }

    static Chromium start() {
        Path chromium = program("chromium", "chromium", "chromium-browser", "google-chrome");
        Path node = program("node", "node");
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MILLIS);
        Playwright playwright = Playwright.create(new Playwright.CreateOptions()
                .setEnv(Map.of(
                        "PLAYWRIGHT_NODEJS_PATH", node.toString(),
                        "PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1",
                        "NODE_NO_WARNINGS", "1")));
        try {
            return new Chromium(
                    playwright,
                    playwright
                            .chromium()
                            .launch(new BrowserType.LaunchOptions()
                                    .setExecutablePath(chromium)
                                    .setTimeout(PATIENCE_MILLIS)
                                    // builds run as root in containers, where Chromium has no sandbox
                                    .setArgs(List.of("--no-sandbox", "--disable-dev-shm-usage"))));
        } catch (RuntimeException e) {
            playwright.close();
            throw e;
        }
    }

    /** A tab in a window of a desktop, for this server. */
    public Tab open(Dashboard dashboard) {
        return open(dashboard, ColorScheme.LIGHT, DESKTOP[0], DESKTOP[1]);
    }

    /** A tab in a window of this size. */
    public Tab open(Dashboard dashboard, ColorScheme colors, int width, int height) {
        BrowserContext context = browser.newContext(new Browser.NewContextOptions()
                .setColorScheme(colors)
                .setViewportSize(width, height)
                .setTimezoneId("Europe/Berlin")
                .setLocale("en-GB"));
        context.setDefaultTimeout(PATIENCE_MILLIS);
        return new Tab(context, "http://127.0.0.1:" + dashboard.port());
    }

    @Override
    public void close() {
        playwright.close();
    }

    private static Path program(String name, String... files) {
        Optional<Path> found = Stream.concat(
                        Stream.ofNullable(System.getenv("DELAYQUEUE_" + name.toUpperCase(Locale.ROOT)))
                                .map(Path::of),
                        Arrays.stream(Objects.requireNonNullElse(System.getenv("PATH"), "")
                                        .split(":"))
                                .flatMap(folder -> Arrays.stream(files).map(file -> Path.of(folder, file))))
                .filter(Files::isExecutable)
                .findFirst();
        if (found.isEmpty()) {
            skip(name);
        }
        return found.orElseThrow();
    }

    private static void skip(String name) {
        String reason = "the page's tests need " + name + ", which is not on the path";
        if (List.of(Objects.requireNonNullElse(System.getenv(REQUIRED), "").split(","))
                .contains(name)) {
            throw new AssertionError(reason + ", and " + REQUIRED + " requires it");
        }
        System.out.println("SKIPPED: " + reason);
        abort(reason);
    }
}
