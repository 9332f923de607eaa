package dev.headway.routing.core.table;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.routing.core.RoutingListener;
import dev.headway.routing.policy.RoutingDecision;
import dev.headway.routing.policy.Worker;
import java.io.Closeable;
import java.io.IOException;
import java.io.Writer;
import java.util.StringJoiner;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;
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

  private static final CSVFormat FORMAT =
      CSVFormat.RFC4180
          .builder()
          .setRecordSeparator('\n')
          .setHeader(
              "request_id",
              "attempt",
              "at_ns",
              "policy",
              "policy_branch",
              "candidates",
              "worker_id",
              "chosen",
              "refusal",
              "load",
              "signal_age_ns",
              "prompt_units",
              "matched_units",
              "scores",
              "total",
              "pick_cost_ns")
          .get();

  private final CSVPrinter rows;
  private @Nullable IOException failure;

  /**
   * Writes the header.
   *
   * @param out buffered; closed with this
   */
  public DecisionCsv(Writer out) throws IOException {
    rows = new CSVPrinter(out, FORMAT);
  }

  @Override
  public void onDecision(RoutingDecision decision) {
    if (failure != null) {
      return;
    }
    try {
      for (int place = 0; place < decision.workers().size(); place++) {
        print(decision, place);
      }
    } catch (IOException e) {
      failure = e;
    }
  }

  private void print(RoutingDecision decision, int place) throws IOException {
    final Worker worker = decision.workers().get(place);
    final long age = decision.signalAgeNs(place);
    rows.printRecord(
        decision.request().requestId(),
        decision.request().attempt(),
        decision.request().nowNs(),
        decision.policy(),
        decision.branch().label(),
        decision.candidates(),
        worker.id(),
        place == decision.chosen() ? 1 : 0,
        decision.refusal(place) == null ? "" : decision.refusal(place),
        decision.load(place),
        age == ABSENT ? "" : age,
        decision.promptUnits(),
        decision.matchedUnits(place),
        scores(decision, place),
        number(decision.total(place)),
        decision.costNs());
  }

  private static String scores(RoutingDecision decision, int place) {
    final StringJoiner scores = new StringJoiner(";");
    for (RoutingDecision.Scores each : decision.scores()) {
      scores.add(each.scorer() + "=" + number(each.value(place)));
    }
    return scores.toString();
  }

  private static String number(double value) {
    if (Double.isNaN(value)) {
      return "";
    }
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
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
