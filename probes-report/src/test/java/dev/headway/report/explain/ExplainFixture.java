package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.RequestTimeline;
import dev.headway.events.model.RunListener;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.RecordVisitor;
import dev.headway.probes.chronicle.JournalEnd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Explains requests of records that are in memory. */
public final class ExplainFixture {

  private final Consumer<RecordVisitor> records;
  private final JournalEnd end;

  /** Records of a journal that its writer closed. */
  public ExplainFixture(Consumer<RecordVisitor> records) {
    this(records, JournalEnd.clean(0));
  }

  /** Records of a journal with that end. */
  public ExplainFixture(Consumer<RecordVisitor> records, JournalEnd end) {
    this.records = records;
    this.end = end;
  }

  /**
   * The figures of one request.
   *
   * @param waitedForNs by wait reason, over all stays in the queue
   * @param lines how many lines the account has
   * @param linesNs the sum of those
   * @param ttftNs from the arrival, or -1
   * @param beforeFirstTokenNs the sum of that column of the account
   */
  public record Figures(
      long arrivalNs,
      long untilNs,
      long waitedNs,
      Map<String, Long> waitedForNs,
      int lines,
      long linesNs,
      long ttftNs,
      long beforeFirstTokenNs,
      long recomputedTokens,
      int preemptions,
      int tokens,
      boolean ended) {}

  /** What is said of a request. */
  public Explanation explain(String id) {
    return explain(new RequestSelector(id, RequestSelector.LATEST, RequestSelector.LATEST));
  }

  /** What is said of a request. */
  public Explanation explain(RequestSelector selector) {
    try {
      return explainer().explain(selector);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The text about a request that must be there. */
  public String text(String id) {
    return ((Explanation.Answer) explain(id)).text();
  }

  /** The figures of a request that must be there. */
  public Figures figures(String id) {
    final RequestFollower follower =
        new RequestFollower(
            new RequestSelector(id, RequestSelector.LATEST, RequestSelector.LATEST));
    play(follower);
    final RequestExplanation explanation = follower.explanation();
    if (explanation == null) {
      throw new AssertionError("request must be in the records: id=" + id);
    }
    final RequestTimeline request = explanation.request();
    final List<TimeAccount.Line> lines = explanation.account().lines();
    final Map<String, Long> waitedForNs = new HashMap<>();
    for (TimeAccount.Line line : lines) {
      if (line.phase().isWaiting()) {
        waitedForNs.merge(line.label(), line.ns(), Long::sum);
      }
    }
    return new Figures(
        explanation.arrivalNs(),
        explanation.untilNs(),
        request.waits().totalNs(),
        waitedForNs,
        lines.size(),
        lines.stream().mapToLong(TimeAccount.Line::ns).sum(),
        request.firstTokenNs() == ABSENT ? -1 : request.firstTokenNs() - explanation.arrivalNs(),
        lines.stream().mapToLong(TimeAccount.Line::beforeFirstTokenNs).sum(),
        explanation.entries(PreemptionCost.class).stream()
            .mapToLong(PreemptionCost::recomputedTokens)
            .sum(),
        explanation.entries(PreemptionCost.class).size(),
        explanation.tokens().count(),
        request.end() != null);
  }

  /** Ids of the requests that took longest. */
  public List<String> slowest(int count) {
    return ids(LongestRequests.By.SLOWEST, count);
  }

  /** Ids of the requests that waited longest. */
  public List<String> longestWait(int count) {
    return ids(LongestRequests.By.LONGEST_WAIT, count);
  }

  private List<String> ids(LongestRequests.By by, int count) {
    final LongestRequests candidates = new LongestRequests(by, count, RequestSelector.LATEST);
    play(candidates);
    return candidates.ranking().stream().map(LongestRequests.Candidate::id).toList();
  }

  private void play(RunListener listener) {
    try (RunModel model = new RunModel(listener)) {
      records.accept(model);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The explainer itself. */
  public JournalExplainer explainer() {
    return new JournalExplainer(
        consumer -> {
          records.accept(consumer);
          consumer.close();
          return end;
        });
  }
}
