package io.delayqueue.benchmarks.servers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Gets programs from Debian's packages without installing anything. */
final class DebianPackage {

    private DebianPackage() {}

    /** The folder of the unpacked package. It is downloaded first if needed, on a Debian that reaches its mirror. */
    static Path unpacked(String name) throws IOException {
        String cache = System.getenv("DELAYQUEUE_SERVERS");
        Path folder = cache != null
                ? Path.of(cache, name)
                : Path.of(System.getProperty("user.home"), ".cache", "delayqueue-servers", name);
        if (!Files.isDirectory(folder.resolve("usr")) && Files.isExecutable(Path.of("/usr/bin/apt-get"))) {
            Files.createDirectories(folder);
            run(folder, "apt-get", "-qq", "download", name);
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".deb")).toList()) {
                    run(folder, "dpkg-deb", "--extract", file.toString(), folder.toString());
                }
            }
        }
        return folder;
    }

    private static void run(Path folder, String... command) throws IOException {
        Process process = new ProcessBuilder(List.of(command))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(new File("/dev/null"))
                .start();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
