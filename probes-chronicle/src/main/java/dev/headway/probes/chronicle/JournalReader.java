package dev.headway.probes.chronicle;

import dev.headway.events.record.RecordVisitor;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives the records of a journal directory to a {@link RecordVisitor}: run after run, oldest first.
 *
 * <p>Each record's length, type, schema, sequence and checksum are verified before it is given. A
 * run is read up to its end, or to the first record that is not as it was written; that is said in
 * the {@link RunSummary}, not thrown, and the runs after it are read as well. Records of types that
 * this version does not know are skipped and counted.
 *
 * <p>One thread. Only reads: nothing in the directory is changed, made or locked, the writer is not
 * disturbed, and no JVM flag is needed. Memory is bounded by the largest record (4 MiB); strings
 * apart, reading allocates nothing.
 */
public final class JournalReader implements AutoCloseable {

  private final List<Path> runs;
  private final List<RunSummary> finished = new ArrayList<>();
  private final long bytesTotal;
  private @Nullable RunReader current;
  private int next;
  private long bytesFinished;
  private long recordsFinished;

  private JournalReader(List<Path> runs, long bytesTotal) {
    this.runs = runs;
    this.bytesTotal = bytesTotal;
  }

  /**
   * Opens all runs of a journal directory, or one run's own directory.
   *
   * @throws JournalException if there is no run with a start record, or a newer version wrote one
   */
  public static JournalReader open(Path directory) throws IOException {
    return open(directory, runs(directory));
  }

  /**
   * Opens the latest run only; for following a live journal.
   *
   * @throws JournalException if it has no start record, or a newer version wrote it
   */
  public static JournalReader openLatest(Path directory) throws IOException {
    final List<Path> runs = runs(directory);
    return open(directory, runs.subList(Math.max(0, runs.size() - 1), runs.size()));
  }

  /**
   * Reads everything that is there now.
   *
   * @throws IOException if a file cannot be read
   */
  public ReadSummary readAll(RecordVisitor visitor) throws IOException {
    while (poll(visitor, Integer.MAX_VALUE) > 0) {
      // until nothing more is there
    }
    if (current != null) {
      finish(current);
    }
    return summary();
  }

  /**
   * Reads at most {@code limit} records and returns at once; call it again later for more. Runs
   * that begin after this reader was opened are not seen.
   *
   * @return the number of records read; 0 if there are no more now
   * @throws IOException if a file cannot be read
   */
  public int poll(RecordVisitor visitor, int limit) throws IOException {
    int count = 0;
    while (count < limit) {
      if (current == null && !openNext()) {
        break;
      }
      final RunReader run = current;
      if (run == null) {
        break;
      }
      final RunReader.Found found = run.next(visitor);
      if (found == RunReader.Found.RECORD) {
        count++;
      } else if (found == RunReader.Found.NOTHING && next == runs.size()) {
        break; // the latest run may still grow
      } else {
        finish(run);
      }
    }
    return count;
  }

  /** What was read so far; the run being read counts as {@link RunEnd#OPEN}. */
  public ReadSummary summary() {
    final List<RunSummary> all = new ArrayList<>(finished);
    if (current != null) {
      all.add(current.summary());
    }
    return new ReadSummary(all);
  }

  /** Records read so far. */
  public long recordsRead() {
    return recordsFinished + (current == null ? 0 : current.records());
  }

  /** Bytes read so far, in [0, {@link #bytesTotal}] unless the journal grows. */
  public long bytesRead() {
    return bytesFinished + (current == null ? 0 : current.position());
  }

  /**
   * Bytes of all files when the reader was opened. The file of a run without an end record includes
   * what its writer had allocated ahead, so that the last run may end early.
   */
  public long bytesTotal() {
    return bytesTotal;
  }

  @Override
  public void close() throws IOException {
    if (current != null) {
      current.close();
      current = null;
    }
    next = runs.size();
  }

  private static JournalReader open(Path directory, List<Path> runs) throws IOException {
    String firstFault = null;
    boolean hasStart = false;
    long bytes = 0;
    for (Path run : runs) {
      try (RunReader reader = RunReader.open(run)) {
        final String fault = reader.startFault();
        hasStart |= fault == null;
        firstFault = firstFault == null ? fault : firstFault;
        bytes += reader.fileBytes();
      }
    }
    if (!hasStart) {
      throw new JournalException(
          "there is no journal in "
              + directory
              + ": "
              + (runs.isEmpty() ? "it has no run-NNNNNN" : "none of its runs has a start record")
              + (firstFault == null ? "" : "; " + firstFault)
              + (runs.isEmpty() ? journalsIn(directory) : ""));
    }
    return new JournalReader(runs, bytes);
  }

  /** Names journals one level below, for the message if the directory around them was given. */
  private static String journalsIn(Path directory) throws IOException {
    final List<String> found = new ArrayList<>();
    try (DirectoryStream<Path> children = Files.newDirectoryStream(directory, Files::isDirectory)) {
      for (Path child : children) {
        if (!RunDirectories.list(child).isEmpty()) {
          found.add(child.toString());
        }
      }
    }
    found.sort(null);
    return found.isEmpty() ? "" : "; did you mean " + String.join(" or ", found) + "?";
  }

  private static List<Path> runs(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new JournalException(
          "there is no journal at "
              + directory
              + (Files.exists(directory) ? ": it is a file" : ": no such directory"));
    }
    final List<Path> runs = RunDirectories.list(directory);
    return runs.isEmpty() && hasDataFile(directory) ? List.of(directory) : runs;
  }

  private static boolean hasDataFile(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.anyMatch(file -> file.toString().endsWith(".cq4"));
    }
  }

  private boolean openNext() throws IOException {
    if (next == runs.size()) {
      return false;
    }
    current = RunReader.open(runs.get(next++));
    return true;
  }

  private void finish(RunReader run) throws IOException {
    run.conclude();
    finished.add(run.summary());
    bytesFinished += run.fileBytes();
    recordsFinished += run.records();
    run.close();
    current = null;
  }
}
