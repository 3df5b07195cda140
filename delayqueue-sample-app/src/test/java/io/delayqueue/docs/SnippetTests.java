package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.delayqueue.docs.Document.CodeBlock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each block of code with a language, and each request, is a region of a file that the build compiles or runs. The comment above the
 * block names it: {@code <!-- snippet: path/from/the/top#region -->}. With {@code -Ddocs.update} the blocks are rewritten. Or a test takes
 * the block from the document itself: then the comment names that test, {@code <!-- tested by: ServerJarTests -->}.
 */
class SnippetTests {

    /** Words behind a fence that announce no code: none for output of commands and the like, and pictures. */
    private static final Set<String> NO_CODE = Set.of("", "mermaid");

    /** First words of requests, which are code whatever the fence says. */
    private static final Pattern REQUEST = Pattern.compile("(curl|GET|POST|PUT|PATCH|DELETE) .*");

    private static final String UPDATE = "mvn -q -pl delayqueue-sample-app -am test -Ddocs.update "
            + "-Dtest=SnippetTests -Dsurefire.failIfNoSpecifiedTests=false";

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.delayqueue.docs.Document#all")
    void everyCodeBlockNamesItsSourceOrItsTest(Document document) {
        assertThat(document.codeBlocks())
                .filteredOn(block -> !NO_CODE.contains(block.language())
                        || block.code().stream()
                                .anyMatch(line -> REQUEST.matcher(line.strip()).matches()))
                .filteredOn(block -> block.source().isEmpty() && block.test().isEmpty())
                .extracting(block -> document + ":" + (block.fence() + 1))
                .as("code without <!-- snippet: path#region --> or <!-- tested by: Test --> above it")
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.delayqueue.docs.Document#all")
    void everyTestOfACodeBlockReadsItsDocument(Document document) throws IOException {
        for (CodeBlock block : document.codeBlocks()) {
            for (String test : block.test()) {
                assertThat(sources(test))
                        .as("%s:%d is tested by %s", document, block.fence() + 1, test)
                        .singleElement(as(InstanceOfAssertFactories.STRING))
                        .contains(document.file().getFileName().toString());
            }
        }
    }

    private static List<String> sources(String test) throws IOException {
        try (Stream<Path> files = Files.find(
                Document.ROOT,
                20,
                (file, attributes) -> file.toString().matches(".*/src/test/java/.*/" + test + "\\.java"))) {
            List<String> sources = new ArrayList<>();
            for (Path file : files.toList()) {
                sources.add(Files.readString(file));
            }
            return sources;
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.delayqueue.docs.Document#all")
    void everyCodeBlockIsAsItsSource(Document document) {
        if (System.getProperty("docs.update") != null) {
            update(document);
            return;
        }
        for (CodeBlock block : document.codeBlocks()) {
            for (SourceRegion source : block.source()) {
                assertThat(block.code())
                        .as("%s:%d differs from its source; update all with%n%s", document, block.fence() + 1, UPDATE)
                        .isEqualTo(source.lines());
            }
        }
    }

    private static void update(Document document) {
        Document updated = document;
        List<CodeBlock> blocks = document.codeBlocks();
        for (int i = blocks.size() - 1; i >= 0; i--) { // from the end, so that positions stay true
            for (SourceRegion source : blocks.get(i).source()) {
                updated = updated.with(blocks.get(i), source.lines());
            }
        }
        assumeThat(updated).as("nothing to update").isNotEqualTo(document);
        updated.write();
    }
}
