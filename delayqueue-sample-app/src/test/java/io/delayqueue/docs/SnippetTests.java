package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.delayqueue.docs.Document.CodeBlock;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Each block of Java, XML or YAML in a document is a region of a file that the build compiles or runs. The comment above the
 * block names it: {@code <!-- snippet: path/from/the/top#region -->}. With {@code -Ddocs.update} the blocks are rewritten.
 */
class SnippetTests {

    private static final Set<String> CODE = Set.of("java", "kotlin", "xml", "yaml", "yml", "properties");
    private static final String UPDATE = "mvn -q -pl delayqueue-sample-app -am test -Ddocs.update "
            + "-Dtest=SnippetTests -Dsurefire.failIfNoSpecifiedTests=false";

    @ParameterizedTest(name = "{0}")
    @MethodSource("io.delayqueue.docs.Document#all")
    void everyCodeBlockNamesItsSource(Document document) {
        assertThat(document.codeBlocks())
                .filteredOn(block ->
                        CODE.contains(block.language()) && block.source().isEmpty())
                .extracting(block -> document + ":" + (block.fence() + 1))
                .as("code without <!-- snippet: path#region --> above it")
                .isEmpty();
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
