package dev.headway.cli.sweep;

import dev.headway.simulation.sweep.CapacitySearch;
import dev.headway.simulation.sweep.CapacityTable;
import dev.headway.simulation.sweep.RowSink;
import dev.headway.simulation.sweep.Shard;
import dev.headway.simulation.sweep.SweepRow;
import dev.headway.toolbox.output.FileTree;
import dev.headway.toolbox.output.KnownOutputs;
import dev.headway.toolbox.output.OverwriteMode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a sweep. Rows are appended to {@code rows.csv.part} in the order of the cells,
 * so that a sweep that was stopped goes on behind the last whole cell; {@code rows.csv} is there
 * when all rows are. Equal plans give equal bytes. One thread, and one process at a time.
 */
public final class SweepFiles implements RowSink, AutoCloseable {

  static final String ROWS = "rows.csv";
  static final String CAPACITY = "capacity.csv";
  static final String PLAN = "plan.yaml";
  private static final String PART = "rows.csv.part";

  /** The directory that a sweep on Spark also leaves. */
  public static final String PARQUET = "rows.parquet";

  private static final Set<String> CONTENT =
      Set.of(ROWS, CAPACITY, PLAN, PART, PARQUET, SweepManifest.NAME, SweepManifest.NAME + ".new");

  private final Path directory;
  private final SweepJob job;
  private final Shard shard;
  private final int[] remaining;
  private final @Nullable Writer rows;
  private long written;
  private long failed;

  private SweepFiles(
      Path directory, SweepJob job, Shard shard, int[] remaining, @Nullable Writer rows) {
    this.directory = directory;
    this.job = job;
    this.shard = shard;
    this.remaining = remaining;
    this.rows = rows;
  }

  /** What is done with a directory that holds a sweep. */
  public enum Existing {
    /** It is an error. */
    REFUSE,
    /** The sweep begins anew. */
    REPLACE,
    /** A sweep of the same plan goes on. */
    RESUME;

    /** The mode that the options of a command line ask for. */
    static Existing of(OverwriteMode overwrite, boolean resume) {
      return resume ? RESUME : overwrite == OverwriteMode.REPLACE ? REPLACE : REFUSE;
    }
  }

  /**
   * Makes the directory, or takes one that is there.
   *
   * @throws FileSystemException if it may not be used: it holds other files, a sweep of another
   *     plan, or is written by another process
   * @throws IOException if it cannot be written
   */
  public static SweepFiles open(Path directory, SweepJob job, Shard shard, Existing existing)
      throws IOException {
    final List<String> names = names(directory, existing);
    if (existing == Existing.RESUME && names.contains(SweepManifest.NAME)) {
      return resumed(directory, job, shard);
    }
    if (existing != Existing.REPLACE && !names.isEmpty()) {
      throw new FileAlreadyExistsException(
          directory.toString(), null, "--out exists; --overwrite replaces it, --resume goes on");
    }
    Files.createDirectories(directory);
    for (String name : names) {
      FileTree.delete(directory.resolve(name));
    }
    SweepManifest.write(directory, job, shard, null);
    Files.writeString(directory.resolve(PLAN), job.text());
    final Writer writer = append(directory.resolve(PART), 0);
    writer.write(job.table().header() + "\n");
    writer.flush();
    return new SweepFiles(directory, job, shard, shard.cells(job.plan()), writer);
  }

  private static List<String> names(Path directory, Existing existing) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    if (!Files.isDirectory(directory)) {
      throw new FileSystemException(
          directory.toString(), null, "--out exists and is not a directory");
    }
    final List<String> names = FileTree.names(directory);
    for (String name : names) {
      final boolean isOurs =
          existing == Existing.REPLACE ? KnownOutputs.contains(name) : CONTENT.contains(name);
      if (!isOurs) {
        throw new FileSystemException(
            directory.toString(),
            null,
            "--out exists and holds more than a sweep, so it will not be used: file=" + name);
      }
    }
    return names;
  }

  private static SweepFiles resumed(Path directory, SweepJob job, Shard shard) throws IOException {
    final SweepManifest.Read manifest = SweepManifest.read(directory);
    if (!manifest.isOf(job) || !manifest.shard().equals(shard)) {
      throw new FileSystemException(
          directory.toString(),
          null,
          "--resume needs the same plan, shard and version of the program; --overwrite begins"
              + " anew");
    }
    if (manifest.complete()) {
      return new SweepFiles(directory, job, shard, new int[0], null);
    }
    final Path part = directory.resolve(PART);
    final KeptRows kept = KeptRows.read(part, job.table());
    final Writer writer = append(part, kept.bytes());
    if (kept.bytes() == 0) {
      writer.write(job.table().header() + "\n");
      writer.flush();
    }
    final int[] remaining =
        Arrays.stream(shard.cells(job.plan())).filter(cell -> cell > kept.lastCell()).toArray();
    final SweepFiles files = new SweepFiles(directory, job, shard, remaining, writer);
    files.written = kept.rows();
    files.failed = kept.failed();
    return files;
  }

  private static Writer append(Path part, long from) throws IOException {
    final FileChannel channel =
        FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!isLocked(channel)) {
      channel.close();
      throw new FileSystemException(part.toString(), null, "another sweep writes to --out");
    }
    channel.truncate(from);
    channel.position(from);
    return new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8));
  }

  /** Locks it for this process, until it is closed; false if another sweep has it. */
  private static boolean isLocked(FileChannel channel) throws IOException {
    try {
      return channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      return false; // one of this process
    }
  }

  /** The cells that are still to be run, ascending; none if the sweep is complete. */
  public int[] remaining() {
    return remaining.clone();
  }

  /** Rows that are there. */
  public long rows() {
    return written;
  }

  /** Rows of runs that failed. */
  public long failed() {
    return failed;
  }

  /** Appends the rows of the next cell; they are in the file when this returns. */
  @Override
  public void accept(List<SweepRow> cell) throws IOException {
    if (rows == null) {
      throw new IllegalStateException("a complete sweep takes no rows: cell=" + cell);
    }
    for (SweepRow row : cell) {
      rows.write(job.table().line(row) + "\n");
      written++;
      failed += job.table().isFailed(row) ? 1 : 0;
    }
    rows.flush();
  }

  /** Makes the sweep complete; all its cells must have been accepted. */
  public void finish() throws IOException {
    if (rows == null) {
      return;
    }
    rows.close();
    final Path whole = directory.resolve(ROWS);
    Files.move(
        directory.resolve(PART),
        whole,
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
    final CapacitySearch search = job.plan().capacity();
    if (search != null) {
      writeCapacity(whole, new CapacityTable(job.table(), search));
    }
    SweepManifest.write(directory, job, shard, new SweepManifest.Counts(written, failed));
  }

  private void writeCapacity(Path whole, CapacityTable capacity) throws IOException {
    try (Stream<String> lines = Files.lines(whole);
        BufferedWriter out = Files.newBufferedWriter(directory.resolve(CAPACITY))) {
      out.write(capacity.header() + "\n");
      final List<SweepRow> cell = new ArrayList<>();
      lines
          .skip(1)
          .map(job.table()::row)
          .forEachOrdered(
              row -> {
                if (!cell.isEmpty() && cell.getFirst().cell() != row.cell()) {
                  write(out, capacity.line(cell));
                  cell.clear();
                }
                cell.add(row);
              });
      if (!cell.isEmpty()) {
        write(out, capacity.line(cell));
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private static void write(Writer out, String line) {
    try {
      out.write(line + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    if (rows != null) {
      rows.close();
    }
  }
}
