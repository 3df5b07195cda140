package io.delayqueue.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The demands of Maven Central, and of a build by others. */
class PublishingTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern PINNED = Pattern.compile("uses: [\\w./-]+@[0-9a-f]{40} # v\\d+\\.\\d+\\.\\d+");

    @Test
    void parentHasAllThatCentralAsksFor() throws Exception {
        Document parent = pom(".");

        assertThat(List.of(
                        "name",
                        "description",
                        "url",
                        "licenses/license/name",
                        "licenses/license/url",
                        "developers/developer/name",
                        "scm/connection",
                        "scm/developerConnection",
                        "scm/url",
                        "issueManagement/url"))
                .allSatisfy(path ->
                        assertThat(texts(parent, "/project/" + path)).as(path).hasSize(1));
        assertThat(texts(parent, "//profile[id='central']//plugin/artifactId"))
                .containsExactly("maven-gpg-plugin", "central-publishing-maven-plugin");
        assertThat(texts(parent, "//profile[id='release']//plugin/artifactId"))
                .containsExactly("maven-source-plugin", "maven-javadoc-plugin");
    }

    @Test
    void eachPublishedJarHasAModuleNameOfItsOwnAndTheToolThatComparesItsApi() throws Exception {
        List<String> names = new ArrayList<>();
        for (String module : publishedJars()) {
            Document pom = pom(module);
            assertThat(texts(pom, "/project/description")).as(module).hasSize(1);
            names.addAll(texts(pom, "/project/properties/module.name"));
            assertThat(texts(pom, "/project/build/plugins/plugin/artifactId"))
                    .as(module)
                    .contains("japicmp-maven-plugin");
        }

        assertThat(texts(pom("."), "//plugin[artifactId='japicmp-maven-plugin']//ignoreMissingOldVersion"))
                .as("a release that can't be had is no release without differences")
                .containsExactly("false");
        assertThat(names).hasSameSizeAs(publishedJars()).doesNotHaveDuplicates();
        assertThat(names).allMatch(name -> name.matches("io(\\.[a-z]+)+"));
    }

    @Test
    void bomHasAllPublishedJars() throws Exception {
        assertThat(texts(pom("delayqueue-bom"), "/project/dependencyManagement/dependencies/dependency/artifactId"))
                .containsExactlyInAnyOrderElementsOf(publishedJars());
    }

    @Test
    void actionsAndImagesArePinned() throws IOException {
        List<String> uses = new ArrayList<>();
        try (Stream<Path> workflows = Files.list(ROOT.resolve(".github/workflows"))) {
            for (Path workflow : workflows.toList()) {
                uses.addAll(Files.readAllLines(workflow).stream()
                        .filter(line -> line.contains("uses: "))
                        .toList());
            }
        }
        assertThat(uses)
                .hasSizeGreaterThan(2)
                .allMatch(line -> PINNED.matcher(line).find());

        List<String> images = Pattern.compile("]=(\\S+:\\S+)")
                .matcher(Files.readString(ROOT.resolve(".ci/servers")))
                .results()
                .map(MatchResult::group)
                .toList();
        assertThat(images).hasSize(3).allMatch(image -> image.matches(".*@sha256:[0-9a-f]{64}"));
    }

    /** Users copy them: a version that a reader can name, which can't change under a test. */
    @Test
    void imagesOfExamplesHaveExactVersions() throws IOException {
        List<String> images = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            for (Path source :
                    files.filter(file -> file.toString().endsWith(".java")).toList()) {
                images.addAll(found("Container<>\\(\"([^\"]+)\"", source));
            }
        }
        assertThat(images).as("of containers in tests").isNotEmpty();
        images.addAll(found("image: (\\S+)", Path.of("compose.yaml")));

        assertThat(images).hasSizeGreaterThan(1).allMatch(image -> image.matches(".+:\\d+\\.\\d+\\.\\d+(-[a-z]+)?"));
    }

    private static List<String> found(String pattern, Path file) throws IOException {
        return Pattern.compile(pattern)
                .matcher(Files.readString(file))
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    @Test
    void dependenciesAndActionsAreKeptUpToDate() throws IOException {
        String dependabot = Files.readString(ROOT.resolve(".github/dependabot.yml"));

        assertThat(dependabot.lines().map(String::strip))
                .contains("- package-ecosystem: maven", "- package-ecosystem: github-actions");
        assertThat(Pattern.compile("dependency-name: \\S+:(\\S+)")
                        .matcher(dependabot)
                        .results())
                .as("dependencies that are left alone, and still used")
                .isNotEmpty()
                .allMatch(match -> artifactsOfParent().contains(match.group(1)));
    }

    @Test
    void vulnerabilitiesAreReportedInPrivate() throws IOException {
        assertThat(Files.readString(ROOT.resolve("SECURITY.md")))
                .contains("## Supported versions", "## Report a vulnerability", "don't open an issue");
    }

    @Test
    void workflowCallsTheOneScript() throws IOException {
        assertThat(Files.readString(ROOT.resolve(".github/workflows/ci.yml")))
                .contains("run: .ci/run ")
                .doesNotContain("mvn ");
    }

    /** Without the variable they are skipped where there is no engine, and nobody sees it. */
    @Test
    void workflowRequiresTheTestsWithContainers() throws IOException {
        assertThat(Files.readString(ROOT.resolve(".github/workflows/ci.yml")).lines())
                .contains("          DELAYQUEUE_TEST_DOCKER: required");
    }

    /** Modules that are deployed and have a jar. */
    private static List<String> publishedJars() throws Exception {
        List<String> jars = new ArrayList<>();
        for (String module : texts(pom("."), "/project/modules/module")) {
            Document pom = pom(module);
            if (texts(pom, "/project/properties/maven.deploy.skip").isEmpty()
                    && texts(pom, "/project/packaging").isEmpty()) {
                jars.add(module);
            }
        }
        assertThat(jars).hasSizeGreaterThan(2);
        return jars;
    }

    private static List<String> artifactsOfParent() {
        try {
            return texts(pom("."), "//artifactId");
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Document pom(String module) throws Exception {
        return DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(ROOT.resolve(module).resolve("pom.xml").toFile());
    }

    private static List<String> texts(Document pom, String path) throws Exception {
        NodeList nodes =
                (NodeList) XPathFactory.newDefaultInstance().newXPath().evaluate(path, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }
}
