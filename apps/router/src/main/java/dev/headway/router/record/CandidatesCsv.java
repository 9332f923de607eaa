package dev.headway.router.record;

import dev.headway.routing.core.table.DecisionCsv;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Writes {@code router_decisions.csv}: for each attempt a row for each worker of the router, with
 * what it scored, or why it could not take the request; {@link DecisionCsv} lists the columns. Any
 * thread; rows are written on a thread of its own.
 */
public final class CandidatesCsv implements AttemptFile {

  private final CsvLog log;

  /**
   * Begins the file.
   *
   * @throws IOException if it cannot be written
   */
  public CandidatesCsv(Path file) throws IOException {
    final Writer out = Files.newBufferedWriter(file);
    log = new CsvLog(new CandidateRows(out, new DecisionCsv(out)));
  }

  @Override
  public void onAttempt(Attempt attempt) {
    log.onAttempt(attempt);
  }

  @Override
  public long dropped() {
    return log.dropped();
  }

  @Override
  public void close() throws IOException {
    log.close();
  }

  /** The table, and the writer below it. */
  private record CandidateRows(Writer out, DecisionCsv table) implements CsvLog.Rows {

    @Override
    public void print(Attempt attempt) {
      table.onDecision(attempt.decision());
    }

    @Override
    public void flush() throws IOException {
      out.flush();
    }

    @Override
    public void close() throws IOException {
      table.close();
    }
  }
}
