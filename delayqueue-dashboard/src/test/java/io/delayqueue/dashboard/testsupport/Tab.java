package io.delayqueue.dashboard.testsupport;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Dialog;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.options.AriaRole;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.assertj.core.api.Assertions;

/**
 * A browser's tab that notes what no visit of the page may cause. That is messages in the console, of which violations of the
 * Content-Security-Policy, exceptions, dialogs of hostile scripts, and requests of other hosts. {@link #close} fails if there was any.
 */
public final class Tab implements AutoCloseable {

    private static final String AXE = "/axe.min.js";

    /** The findings of axe-core, each in a line. */
    private static final String FINDINGS = """
        async () => (await axe.run()).violations.map(
            finding => `${finding.id}: ${finding.nodes.map(node => node.target.join(' ')).join(', ')}`)\
        """;

    private final Queue<String> problems = new ConcurrentLinkedQueue<>();
    private final List<String> allowed = new ArrayList<>();
    private final BrowserContext context;
    private final String server;
    private final Page page;

    Tab(BrowserContext context, String server) {
        this.context = context;
        this.server = server;
        this.page = context.newPage();
        page.onConsoleMessage(this::noteMessage);
        page.onPageError(error -> problems.add("exception: " + error));
        page.onDialog(this::noteDialog);
        page.onRequest(this::noteRequest);
    }

    /** The icon that a browser guesses is for a login page, which is not ours: the dashboard names its own. */
    private void noteMessage(ConsoleMessage message) {
        if (!message.location().contains("/favicon.ico")) {
            problems.add("console: " + message.text());
        }
    }

    private void noteDialog(Dialog dialog) {
        problems.add("dialog: " + dialog.message());
        dialog.dismiss();
    }

    private void noteRequest(Request request) {
        if (!request.url().startsWith(server + "/")) {
            problems.add("request of another host: " + request.url());
        }
    }

    /** The page. */
    public Page page() {
        return page;
    }

    /** The browser's state that the tab has for itself. */
    public BrowserContext context() {
        return context;
    }

    /** Goes to a path of the server, and waits until the page shows numbers. */
    public Tab visit(String path) {
        page.navigate(server + path);
        assertThat(page.locator(".as-of.fresh")).isVisible();
        return this;
    }

    /** Goes to a path that needs a login, and logs in by Spring Security's form; each user's password is "secret". */
    public Tab logIn(String path, String user) {
        authenticate(path, user);
        assertThat(page.locator(".as-of.fresh")).isVisible();
        return this;
    }

    /** The same for a user who may not see it. */
    public void authenticate(String path, String user) {
        page.navigate(server + path);
        page.locator("input[name=username]").fill(user);
        page.locator("input[name=password]").fill("secret");
        page.locator("button[type=submit]").click();
        assertThat(page.locator("#app h1")).hasCount(1);
        // Chromium has advice for the form, which is not ours
        problems.removeIf(problem -> problem.startsWith("console: [DOM]"));
    }

    /** The element of this role and name. */
    public Locator find(AriaRole role, String name) {
        return page.getByRole(role, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    /** The button of this name. */
    public Locator button(String name) {
        return find(AriaRole.BUTTON, name);
    }

    /** The part of the page with this heading. */
    public Locator section(String heading) {
        return find(AriaRole.REGION, heading);
    }

    /** The question that is open. */
    public Locator dialog() {
        return page.getByRole(AriaRole.DIALOG);
    }

    /** Answers the question that is open by this button, and waits for what the page says of the result. */
    public void confirm(String button, String result) {
        dialog().getByRole(
                        AriaRole.BUTTON,
                        new Locator.GetByRoleOptions().setName(button).setExact(true))
                .click();
        assertThat(page.locator(".notice")).containsText(result);
        assertThat(dialog()).hasCount(0);
    }

    /** Findings that hinder people who use a screen reader or a keyboard, or see little contrast. */
    public List<String> accessibilityFindings() {
        try (InputStream axe = Objects.requireNonNull(Tab.class.getResourceAsStream(AXE), AXE)) {
            page.evaluate(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        List<String> findings = new ArrayList<>();
        ((List<?>) page.evaluate(FINDINGS)).forEach(finding -> findings.add(String.valueOf(finding)));
        return findings;
    }

    /** Number of pixels by which the page is wider than its window. */
    public int sidewaysScroll() {
        return ((Number) page.evaluate("() => document.documentElement.scrollWidth - innerWidth")).intValue();
    }

    /** Allows what a browser notes of requests that end so, such as {@code 404}. */
    public Tab allowing(String reason) {
        allowed.add(reason);
        return this;
    }

    @Override
    public void close() {
        context.close();
        problems.removeIf(problem -> problem.startsWith("console: Failed to load resource")
                && allowed.stream().anyMatch(problem::contains));
        Assertions.assertThat(problems).as("what the page caused").isEmpty();
    }
}
