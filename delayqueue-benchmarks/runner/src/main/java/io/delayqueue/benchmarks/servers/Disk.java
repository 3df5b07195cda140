package io.delayqueue.benchmarks.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The disk that holds a folder, with the bytes that it got. The count of a process may be far higher: Linux keeps up to 1 MiB of a file as
 * one piece in its cache, and counts a small write into it as the whole piece.
 */
public final class Disk {

    private static final int SECTOR = 512;
    private static final int WRITTEN_SECTORS = 6;

    private final Path folder;

    private Disk(Path folder) {
        this.folder = folder;
    }

    /** The disk of temporary files, where the servers keep theirs. */
    public static Disk ofTemporaryFiles() {
        return new Disk(Path.of(System.getProperty("java.io.tmpdir")));
    }

    /** Bytes written to it by all processes, once it has all that the system kept in its cache; 0 if the system does not tell. */
    public long written() {
        try {
            int exit = new ProcessBuilder("sync").inheritIO().start().waitFor();
            Path statistics = statistics();
            if (exit != 0 || !Files.exists(statistics)) {
                return 0;
            }
            return Long.parseLong(Files.readString(statistics).strip().split(" +")[WRITTEN_SECTORS]) * SECTOR;
        } catch (IOException e) {
            throw new UncheckedIOException("can't tell what was written to the disk of " + folder, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the system wrote its cache", e);
        }
    }

    /** Linux' number of a device is its class and its number in there. */
    private Path statistics() throws IOException {
        long device = ((Number) Files.getAttribute(folder, "unix:dev")).longValue();
        long major = device >> 8 & 0xfff;
        long minor = device & 0xff | device >> 12 & 0xfff00;
        return Path.of("/sys/dev/block", major + ":" + minor, "stat");
    }
}
