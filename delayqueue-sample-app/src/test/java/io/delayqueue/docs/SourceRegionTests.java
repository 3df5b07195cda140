package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SourceRegionTests {

    @TempDir
    Path folder;

    @Test
    void regionHasNeitherMarksNorCommonIndentation() throws IOException {
        SourceRegion region = region("""
                class Shop {
                    // tag::outer[]

                    void open() {
                        // tag::inner[]
                        lights.on();
                        // end::inner[]
                    }
                    // end::outer[]
                }
                """, "outer");

        assertThat(region.lines()).containsExactly("void open() {", "    lights.on();", "}");
    }

    @Test
    void marksMayBeCommentsOfYamlAndXml() throws IOException {
        assertThat(region("# tag::a[]\nb: 1\n# end::a[]", "a").lines()).containsExactly("b: 1");
        assertThat(region("<!-- tag::a[] -->\n<b/>\n<!-- end::a[] -->", "a").lines())
                .containsExactly("<b/>");
    }

    @Test
    void missingRegionIsAnError() throws IOException {
        SourceRegion region = region("// tag::a[]\n// end::a[]", "b");

        assertThatIllegalArgumentException().isThrownBy(region::lines).withMessageContaining("tag::b[]");
    }

    @Test
    void regionWithoutAnEndIsAnError() throws IOException {
        SourceRegion region = region("// tag::a[]\ncode", "a");

        assertThatIllegalArgumentException().isThrownBy(region::lines).withMessageContaining("end::a[]");
    }

    private SourceRegion region(String text, String name) throws IOException {
        return new SourceRegion(Files.writeString(folder.resolve("source"), text), name);
    }
}
