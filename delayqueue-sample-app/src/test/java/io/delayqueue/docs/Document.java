package io.delayqueue.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Markdown file of this repository.
 *
 * @param file where it is
 * @param lines its text
 */
record Document(Path file, List<String> lines) {

    /** The folder that holds all modules; tests run in the folder of theirs. */
    static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final Pattern FENCE = Pattern.compile("```(\\w*)");
    private static final Pattern MARKER = Pattern.compile("<!-- snippet: (\\S+)#([\\w-]+) -->");
    private static final Pattern TEST_MARKER = Pattern.compile("<!-- tested by: (\\w+) -->");

    Document {
        lines = List.copyOf(lines);
    }

    /** All documents: those at the top, those under docs, and the README of each module. */
    static List<Document> all() {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
                Stream<Path> top = Files.list(ROOT);
                Stream<Path> modules = Files.list(ROOT).map(module -> module.resolve("README.md"))) {
            return Stream.of(top, docs, modules)
                    .flatMap(files -> files)
                    .filter(file -> file.toString().endsWith(".md") && Files.isRegularFile(file))
                    .sorted()
                    .map(Document::read)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Document read(Path file) {
        try {
            return new Document(file, Files.readAllLines(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its code blocks, from top to bottom. */
    List<CodeBlock> codeBlocks() {
        List<CodeBlock> blocks = new ArrayList<>();
        int line = 0;
        while (line < lines.size()) {
            Matcher fence = FENCE.matcher(lines.get(line));
            if (!fence.matches()) {
                line++;
                continue;
            }
            int end = line + 1;
            while (end < lines.size() && !lines.get(end).equals("```")) {
                end++;
            }
            if (end == lines.size()) {
                throw new IllegalStateException(this + ":" + (line + 1) + " begins a code block that has no end");
            }
            blocks.add(new CodeBlock(fence.group(1), line, lines.subList(line + 1, end), source(line), test(line)));
            line = end + 1;
        }
        return blocks;
    }

    /** Its lines outside of code blocks. */
    List<String> prose() {
        List<String> prose = new ArrayList<>(lines);
        List<CodeBlock> blocks = codeBlocks();
        for (int i = blocks.size() - 1; i >= 0; i--) {
            CodeBlock block = blocks.get(i);
            prose.subList(block.fence(), block.fence() + block.code().size() + 2)
                    .clear();
        }
        return prose;
    }

    /** The same document with these lines in a code block of it. */
    Document with(CodeBlock block, List<String> code) {
        List<String> changed = new ArrayList<>(lines);
        List<String> old = changed.subList(
                block.fence() + 1, block.fence() + 1 + block.code().size());
        old.clear();
        old.addAll(code);
        return new Document(file, changed);
    }

    void write() {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Its path from the top of the repository. */
    @Override
    public String toString() {
        return ROOT.relativize(file).toString();
    }

    /** The region that the comment right above a fence names. */
    private List<SourceRegion> source(int fence) {
        Matcher marker = MARKER.matcher(lineAbove(fence));
        return marker.matches() ? List.of(new SourceRegion(ROOT.resolve(marker.group(1)), marker.group(2))) : List.of();
    }

    /** The test that the comment right above a fence names. */
    private List<String> test(int fence) {
        Matcher marker = TEST_MARKER.matcher(lineAbove(fence));
        return marker.matches() ? List.of(marker.group(1)) : List.of();
    }

    private String lineAbove(int fence) {
        return fence == 0 ? "" : lines.get(fence - 1);
    }

    /**
     * A fenced block.
     *
     * @param language the word behind the fence, empty without one
     * @param fence line of the opening fence, from 0
     * @param code the lines between the fences
     * @param source the region it is taken from; empty without a marker
     * @param test the test that takes it from the document; empty without a marker
     */
    record CodeBlock(String language, int fence, List<String> code, List<SourceRegion> source, List<String> test) {}
}
