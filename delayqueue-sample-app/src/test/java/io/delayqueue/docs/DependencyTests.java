package io.delayqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** The dependencies that the documents show are the modules of this build, in its version. */
class DependencyTests {

    @Test
    void documentedDependenciesAreModulesOfThisBuild() throws Exception {
        Element parent = parse(Document.ROOT.resolve("pom.xml"));
        NodeList dependencies =
                parse(Path.of("src/test/resources/docs/pom.xml")).getElementsByTagName("dependency");

        assertThat(IntStream.range(0, dependencies.getLength()).mapToObj(i -> (Element) dependencies.item(i)))
                .isNotEmpty()
                .allSatisfy(dependency -> {
                    assertThat(text(dependency, "groupId")).isEqualTo(text(parent, "groupId"));
                    assertThat(text(dependency, "version")).isEqualTo(text(parent, "version"));
                    assertThat(Document.ROOT.resolve(text(dependency, "artifactId")))
                            .isDirectory();
                });
    }

    private static Element parse(Path file) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getDocumentElement();
    }

    private static String text(Element element, String name) {
        return element.getElementsByTagName(name).item(0).getTextContent();
    }
}
