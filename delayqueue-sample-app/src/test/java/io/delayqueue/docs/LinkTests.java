package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Files, headings, test classes and calls that the documents name exist. */
class LinkTests {

    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
    private static final Pattern TEST_CLASS = Pattern.compile("`([A-Z]\\w*Tests?)`");
    private static final Pattern CALL = Pattern.compile("`([A-Z]\\w+)\\.([a-z]\\w+)`");
    private static final Pattern LINKED_CLASS = Pattern.compile("\\[`([A-Z]\\w+)(?:\\.\\w+)?`]\\(([^)#]+\\.java)\\)");
    private static final Pattern CAMEL_CASE = Pattern.compile("`([A-Z][a-z]\\w*[A-Z]\\w*)`");
    private static final Pattern WORD = Pattern.compile("\\b[A-Z]\\w*");

    /** Classes of others, which the documents name and our code does not. */
    private static final Set<String> OF_OTHERS =
            Set.of("ForkJoinPool", "JpaTransactionManager", "RedisCredentialsProviderFactory");

    private static final Pattern HEADING = Pattern.compile("#+ (.*)");

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.delayqueue.docs.Document#all")
    void everyRelativeLinkLeadsToAFileAndItsHeading(Document document) {
        List<String> broken = new ArrayList<>();
        for (String target : matches(LINK, document)) {
            if (!target.contains("://") && !isThere(document, target)) {
                broken.add(target);
            }
        }
        assertThat(broken).as("links of %s that lead nowhere", document).isEmpty();
    }

    @Test
    void everyTestClassThatIsNamedExists() throws IOException {
        Set<String> known = testClasses();
        List<String> unknown = Document.all().stream()
                .flatMap(document -> matches(TEST_CLASS, document).stream()
                        .filter(name -> !known.contains(name))
                        .map(name -> document + ": " + name))
                .toList();

        assertThat(unknown).as("test classes that are named and don't exist").isEmpty();
    }

    /** On the pages about the architecture: elsewhere, a name may be another library's. */
    @Test
    void everyCallThatTheArchitectureNamesExists() throws IOException {
        Map<String, List<Path>> classes = mainClasses();
        List<String> unknown = new ArrayList<>();
        int named = 0;
        for (Document page : Document.all()) {
            if (page.toString().startsWith("docs/architecture")) {
                for (MatchResult call : results(CALL, page)) {
                    named++;
                    if (!declares(classes.getOrDefault(call.group(1), List.of()), call.group(2))) {
                        unknown.add(page + ": " + call.group());
                    }
                }
            }
        }
        assertThat(named).isGreaterThan(50);
        assertThat(unknown).as("calls that are named and don't exist").isEmpty();
    }

    private static boolean declares(List<Path> classes, String method) throws IOException {
        for (Path file : classes) {
            if (Files.readString(file).contains(" " + method + "(")) {
                return true;
            }
        }
        return false;
    }

    @Test
    void everyLinkOfAClassLeadsToItsFile() {
        List<String> wrong = Document.all().stream()
                .flatMap(document -> results(LINKED_CLASS, document).stream()
                        .filter(link -> !link.group(2).endsWith("/" + link.group(1) + ".java"))
                        .map(link -> document + ": " + link.group()))
                .toList();

        assertThat(wrong).as("links that name another class than they lead to").isEmpty();
    }

    /** Such as a class that was renamed: its former name is in no file of ours. */
    @Test
    void everyNameInCamelCaseStandsInTheCode() throws IOException {
        Set<String> known = wordsOfCode();
        List<String> unknown = Document.all().stream()
                .flatMap(document -> matches(CAMEL_CASE, document).stream()
                        .filter(name -> !known.contains(name) && !OF_OTHERS.contains(name))
                        .map(name -> document + ": " + name))
                .toList();

        assertThat(unknown).as("names that stand in no code").isEmpty();
    }

    private static Set<String> wordsOfCode() throws IOException {
        Set<String> words = new HashSet<>();
        try (Stream<Path> files = Files.find(
                Document.ROOT,
                20,
                (file, attributes) -> file.toString().matches(".*/src/.*\\.java|.*/docs/.*\\.yml"))) {
            for (Path file : files.toList()) {
                WORD.matcher(Files.readString(file))
                        .results()
                        .map(MatchResult::group)
                        .forEach(words::add);
            }
        }
        return words;
    }

    private static Map<String, List<Path>> mainClasses() throws IOException {
        try (Stream<Path> files = Files.find(
                Document.ROOT, 20, (file, attributes) -> file.toString().matches(".*/src/main/java/.*\\.java"))) {
            return files.collect(
                    Collectors.groupingBy(file -> file.getFileName().toString().replace(".java", "")));
        }
    }

    private static boolean isThere(Document document, String target) {
        String[] parts = target.split("#", 2);
        Path file = parts[0].isEmpty()
                ? document.file()
                : document.file().resolveSibling(parts[0]).normalize();
        return Files.exists(file)
                && (parts.length == 1 || headings(Document.read(file)).contains(parts[1]));
    }

    /** The anchors that GitHub makes of headings. */
    private static Set<String> headings(Document document) {
        return document.prose().stream()
                .map(HEADING::matcher)
                .filter(Matcher::matches)
                .map(heading -> heading.group(1))
                .map(text -> text.toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N} _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static Set<String> testClasses() throws IOException {
        try (Stream<Path> files = Files.find(
                Document.ROOT, 20, (file, attributes) -> file.toString().matches(".*/src/test/java/.*\\.java"))) {
            return files.map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toSet());
        }
    }

    private static List<String> matches(Pattern pattern, Document document) {
        return results(pattern, document).stream()
                .map((MatchResult result) -> result.group(1))
                .toList();
    }

    private static List<MatchResult> results(Pattern pattern, Document document) {
        return pattern.matcher(String.join("\n", document.prose())).results().toList();
    }
}
