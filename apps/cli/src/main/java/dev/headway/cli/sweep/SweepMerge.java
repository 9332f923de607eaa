package dev.headway.cli.sweep;

import dev.headway.simulation.sweep.Shard;
import dev.headway.simulation.sweep.SweepRow;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Joins the directories of all shards of a sweep to what one run of all of it leaves. */
final class SweepMerge {

  private SweepMerge() {}

  /** The plan of a shard. */
  static SweepJob job(Path directory) throws IOException {
    return SweepJob.read(directory.resolve(SweepFiles.PLAN));
  }

  /**
   * Joins them.
   *
   * @param directories of the shards, in any order
   * @param job their plan
   * @param into gets the rows
   * @throws FileSystemException if one is missing, twice, not complete or of another plan
   * @throws IOException if a file cannot be read or written
   */
  static void merge(List<Path> directories, SweepJob job, SweepFiles into) throws IOException {
    final List<ShardRows> shards = new ArrayList<>();
    try {
      for (Path directory : ordered(directories, job)) {
        shards.add(new ShardRows(directory, job));
      }
      for (int cell : Shard.WHOLE.cells(job.plan())) {
        into.accept(shards.get((cell - 1) % shards.size()).take(cell));
      }
    } finally {
      for (ShardRows shard : shards) {
        shard.close();
      }
    }
  }

  private static List<Path> ordered(List<Path> directories, SweepJob job) throws IOException {
    final @Nullable Path[] ordered = new @Nullable Path[directories.size()];
    for (Path directory : directories) {
      final SweepManifest.Read manifest = SweepManifest.read(directory);
      if (!manifest.complete()) {
        throw refused(directory, "a shard must be complete; run it with --resume");
      }
      if (!manifest.isOf(job)) {
        throw refused(directory, "shards must be of one plan and one version of the program");
      }
      final Shard shard = manifest.shard();
      if (shard.count() != directories.size() || ordered[shard.number() - 1] != null) {
        throw refused(
            directory,
            "every shard must be given once: shard="
                + shard.text()
                + ", directories="
                + directories.size());
      }
      ordered[shard.number() - 1] = directory;
    }
    final List<Path> result = new ArrayList<>();
    for (Path directory : ordered) {
      if (directory != null) {
        result.add(directory);
      }
    }
    return result;
  }

  private static FileSystemException refused(Path directory, String why) {
    return new FileSystemException(directory.toString(), null, why);
  }

  /** The rows of one shard, cell by cell. */
  private static final class ShardRows implements AutoCloseable {
    private final Path directory;
    private final SweepJob job;
    private final BufferedReader reader;
    private @Nullable SweepRow next;

    ShardRows(Path directory, SweepJob job) throws IOException {
      this.directory = directory;
      this.job = job;
      this.reader = Files.newBufferedReader(directory.resolve(SweepFiles.ROWS));
      if (!job.table().header().equals(reader.readLine())) {
        throw refused(directory, "rows.csv must have the columns of the plan");
      }
      next = read();
    }

    private @Nullable SweepRow read() throws IOException {
      final String line = reader.readLine();
      return line == null ? null : job.table().row(line);
    }

    List<SweepRow> take(int cell) throws IOException {
      final List<SweepRow> rows = new ArrayList<>();
      while (next != null && next.cell() == cell) {
        rows.add(next);
        next = read();
      }
      if (rows.isEmpty()) {
        throw refused(directory, "rows.csv must have a row for each cell: cell=" + cell);
      }
      return rows;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }
}
