package dev.headway.routing.core.table;

import dev.headway.routing.core.RoutingListener;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.toolbox.csv.CsvTable;
import dev.headway.toolbox.csv.CsvWriter;
import dev.headway.toolbox.csv.RealNumber;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * {@code router_decisions.csv}: a row for each decision and worker, what is the same for all
 * workers of a decision repeated.
 *
 * <pre>
 * request_id, attempt, at_ns   the request, its attempt from 0, when it was decided
 * policy, policy_branch        what decided, and how it came to its choice
 * candidates                   workers that could take the request
 * worker_id, chosen            the row's worker; 1 if it was chosen, else 0
 * refusal                      why it could not take the request; empty if it could
 * load                         requests in flight there, this one not counted
 * signal_age_ns                age of what it had reported; empty if nothing
 * prompt_units, matched_units  tokens, or code points of a text; those believed to be cached there
 * scores, total                name=score of each scorer, joined by ';'; their weighted sum
 * pick_cost_ns                 what deciding took; 0 in virtual time
 * </pre>
 *
 * <p>Called with the router's lock held: for a router with much traffic, hand decisions to another
 * thread. A failure to write is kept until {@link #close}.
 */
public final class DecisionCsv implements RoutingListener, Closeable {

  private static final CsvTable<Candidate> TABLE =
      CsvTable.<Candidate>of()
          .column("request_id", row -> row.decision.request().requestId())
          .column("attempt", row -> row.decision.request().attempt())
          .column("at_ns", row -> row.decision.request().nowNs())
          .column("policy", row -> row.decision.policy())
          .column("policy_branch", row -> row.decision.branch().label())
          .column("candidates", row -> row.decision.candidates())
          .column("worker_id", row -> row.decision.workers().get(row.place).id())
          .column("chosen", row -> row.place == row.decision.chosen() ? 1 : 0)
          .column("refusal", row -> row.decision.refusal(row.place))
          .column("load", row -> row.decision.load(row.place))
          .whole("signal_age_ns", row -> row.decision.signalAgeNs(row.place))
          .column("prompt_units", row -> row.decision.promptUnits())
          .column("matched_units", row -> row.decision.matchedUnits(row.place))
          .column("scores", row -> scores(row.decision, row.place))
          .column("total", row -> RealNumber.cell(row.decision.total(row.place)))
          .column("pick_cost_ns", row -> row.decision.costNs());

  private final CsvWriter<Candidate> rows;
  private @Nullable IOException failure;

  /** A worker that a decision is about. */
  private record Candidate(RoutingDecision decision, int place) {}

  /**
   * Writes the header.
   *
   * @param out buffered; closed with this
   */
  public DecisionCsv(Writer out) throws IOException {
    rows = TABLE.writeTo(out);
  }

  @Override
  public void onDecision(RoutingDecision decision) {
    if (failure != null) {
      return;
    }
    try {
      for (int place = 0; place < decision.workers().size(); place++) {
        rows.write(new Candidate(decision, place));
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  private static String scores(RoutingDecision decision, int place) {
    final StringJoiner scores = new StringJoiner(";");
    for (RoutingDecision.Scores each : decision.scores()) {
      scores.add(each.scorer() + "=" + RealNumber.cell(each.value(place)));
    }
    return scores.toString();
  }

  /** Closes the file; throws what kept a row from being written. */
  @Override
  public void close() throws IOException {
    rows.close();
    if (failure != null) {
      throw failure;
    }
  }
}
