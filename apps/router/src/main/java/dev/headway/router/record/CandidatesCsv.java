package dev.headway.router.record;

import dev.headway.routing.core.table.DecisionCsv;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * {@code router_decisions.csv}: for each attempt a row for each worker of the router, with what it
 * scored, or why it could not take the request; {@link DecisionCsv} lists the columns.
 */
public final class CandidatesCsv {

  private CandidatesCsv() {}

  /**
   * Begins the file.
   *
   * @throws IOException if it cannot be written
   */
  public static AttemptFile create(Path file) throws IOException {
    final Writer out = Files.newBufferedWriter(file);
    return new CsvLog(new CandidateRows(out, new DecisionCsv(out)));
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
