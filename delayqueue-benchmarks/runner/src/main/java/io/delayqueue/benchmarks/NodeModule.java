package io.delayqueue.benchmarks;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A peer for Node. Its packages, of the versions in {@code package-lock.json}, are installed below its {@code target}.
 *
 * @param source folder of its script and its list of packages
 * @param log takes standard error, and what npm says
 */
record NodeModule(Path source, File log) {

    private static final Pattern DEPENDENCY = Pattern.compile("^ +\"(\\w+)\": \"(\\d[\\d.]+)\"");

    static NodeModule of(Jvms jvms, Contestant contestant) {
        return new NodeModule(jvms.modules().resolve(contestant.module()), jvms.log());
    }

    private Path target() {
        return source.resolve("target");
    }

    /** Installs the packages, unless they are there. Returns why that failed. */
    Optional<String> install() {
        try {
            Files.createDirectories(target());
            boolean changed = false;
            for (String file : new String[] {"package.json", "package-lock.json", "worker.mjs"}) {
                Path copy = target().resolve(file);
                changed |= !Files.exists(copy) || Files.mismatch(source.resolve(file), copy) >= 0;
                Files.copy(source.resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
            }
            if (!changed && Files.isDirectory(target().resolve("node_modules"))) {
                return Optional.empty();
            }
            int exit = new ProcessBuilder("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
                    .directory(target().toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(log))
                    .start()
                    .waitFor();
            return exit == 0 ? Optional.empty() : Optional.of("npm can't install its packages: see " + log);
        } catch (IOException e) {
            return Optional.of("no Node with npm: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.of("interrupted");
        }
    }

    /** Names and versions of the packages that it asks for, such as {@code bullmq-6.7.0}. */
    List<String> packages() {
        try (Stream<String> lines = Files.lines(source.resolve("package.json"))) {
            return lines.map(DEPENDENCY::matcher)
                    .filter(Matcher::find)
                    .map(found -> found.group(1) + "-" + found.group(2))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ProcessBuilder prepare(String script) {
        return new ProcessBuilder("node", target().resolve(script).toString()).redirectError(Redirect.appendTo(log));
    }
}
