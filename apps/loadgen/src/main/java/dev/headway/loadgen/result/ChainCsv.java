package dev.headway.loadgen.result;

import dev.headway.loadgen.client.Exchange;
import dev.headway.loadgen.run.RunRecord;
import dev.headway.loadgen.run.RunResult;
import dev.headway.routing.timing.HostClock;
import dev.headway.routing.timing.TimedRequest;
import dev.headway.routing.timing.TimingChain;
import dev.headway.routing.timing.table.TimingCsv;
import dev.headway.routing.timing.table.TimingCsv.TestKind;
import dev.headway.routing.timing.table.TimingRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Every request of a run with all its instants, from the schedule through router and server to the
 * last token, a row each. Immutable.
 *
 * @param kind whether a router answered
 * @param rows in the order of the run, warm-up first
 */
public record ChainCsv(TestKind kind, List<TimingRow> rows) {

  /** Copies the rows. */
  public ChainCsv {
    rows = List.copyOf(rows);
  }

  /** Puts the requests of a run together. */
  public static ChainCsv of(RunResult run) {
    final TimingChain chain = new TimingChain(HostClock.id(), run.originNs());
    final List<TimingRow> rows = new ArrayList<>();
    boolean routed = false;
    for (RunRecord record : run.records()) {
      final Exchange exchange = record.exchange();
      routed |= exchange.router() != null;
      final TimedRequest timed =
          chain.assemble(exchange.at(), exchange.headNs(), exchange.router(), exchange.server());
      rows.add(new TimingRow(asked(record), outcome(record), timed));
    }
    return new ChainCsv(routed ? TestKind.ROUTER : TestKind.NODE, rows);
  }

  /** The name that the file has. */
  public String fileName() {
    return kind == TestKind.ROUTER ? TimingCsv.ROUTER_FILE : TimingCsv.NODE_FILE;
  }

  /**
   * Writes the file.
   *
   * @param runId the run's name
   * @throws IOException if it cannot be written
   */
  public void write(Path file, String runId) throws IOException {
    try (TimingCsv out = new TimingCsv(file, kind, runId)) {
      for (TimingRow row : rows) {
        out.write(row);
      }
    }
  }

  private static TimingRow.Asked asked(RunRecord record) {
    return new TimingRow.Asked(
        record.id(),
        record.index(),
        record.request().shape().tenant(),
        record.request().shape().priority(),
        record.warmup(),
        record.request().shape().outputTokens());
  }

  private static TimingRow.Outcome outcome(RunRecord record) {
    final Exchange exchange = record.exchange();
    return new TimingRow.Outcome(
        exchange.status().name().toLowerCase(Locale.ROOT),
        exchange.finishReason(),
        record.promptTokens(),
        exchange.cachedTokens(),
        record.isOk() ? record.outputTokens() : exchange.outputTokens(),
        exchange.error());
  }
}
