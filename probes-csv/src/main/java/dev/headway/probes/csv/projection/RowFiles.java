package dev.headway.probes.csv.projection;

import dev.headway.probes.csv.option.TextPolicy;
import dev.headway.probes.csv.projection.EventColumns.EventRow;
import dev.headway.probes.csv.projection.EventColumns.TransitionRow;
import dev.headway.probes.csv.projection.IterationRequestColumns.IterationRequestRow;
import dev.headway.probes.csv.table.CsvFile;
import dev.headway.probes.csv.table.Table;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The CSV files of a conversion, open for writing. One thread. */
public final class RowFiles implements AutoCloseable {

  private static final Table<RequestRow> REQUESTS = RequestColumns.table();
  private static final Table<IterationRow> ITERATIONS = IterationColumns.table();
  private static final Table<IterationRequestRow> ITERATION_REQUESTS =
      IterationRequestColumns.table();
  private static final Table<EventRow> EVENTS = EventColumns.events();
  private static final Table<TransitionRow> TRANSITIONS = EventColumns.transitions();

  private final TextPolicy policy;
  private final List<CsvFile<?>> all = new ArrayList<>();

  final CsvFile<RequestRow> requests;
  final CsvFile<IterationRow> iterations;
  final CsvFile<IterationRequestRow> iterationRequests;
  final CsvFile<EventRow> events;
  final CsvFile<TransitionRow> transitions;

  private RowFiles(Path directory, TextPolicy policy) throws IOException {
    this.policy = policy;
    this.requests = create(directory, REQUESTS);
    this.iterations = create(directory, ITERATIONS);
    this.iterationRequests = create(directory, ITERATION_REQUESTS);
    this.events = create(directory, EVENTS);
    this.transitions = create(directory, TRANSITIONS);
  }

  /** Creates the files in an empty directory, each with its header. */
  public static RowFiles create(Path directory, TextPolicy policy) throws IOException {
    return new RowFiles(directory, policy);
  }

  /** Every table, in the order of the documentation. */
  public static List<Table<?>> tables() {
    return List.of(REQUESTS, ITERATIONS, ITERATION_REQUESTS, EVENTS, TRANSITIONS);
  }

  /** Every file, in the order of {@link #tables}. */
  public List<CsvFile<?>> all() {
    return List.copyOf(all);
  }

  /** Rows over all files. */
  public long rows() {
    return all.stream().mapToLong(CsvFile::rows).sum();
  }

  /** Hands every whole row to the operating system. */
  public void flush() {
    all.forEach(CsvFile::flush);
  }

  /** Goes on in the same files after their directory has moved. */
  public void continueIn(Path directory) throws IOException {
    for (CsvFile<?> file : all) {
      file.continueIn(directory);
    }
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (CsvFile<?> file : all) {
      try {
        file.close();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  TextPolicy policy() {
    return policy;
  }

  private <R> CsvFile<R> create(Path directory, Table<R> table) throws IOException {
    final CsvFile<R> file = CsvFile.create(directory, table, policy);
    all.add(file);
    return file;
  }
}
