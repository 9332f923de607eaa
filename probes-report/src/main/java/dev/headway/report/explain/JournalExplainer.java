package dev.headway.report.explain;

import dev.headway.events.live.RecordConsumer;
import dev.headway.events.model.RunModel;
import dev.headway.events.record.RejectedRecord;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers questions about single requests from a journal. Reads it once for each question, twice
 * where an id is the client's own, and keeps nothing else. One thread.
 */
public final class JournalExplainer {

  /** Plays all records of a journal to a consumer, then closes it. */
  @FunctionalInterface
  interface Records {
    JournalEnd playTo(RecordConsumer consumer) throws IOException;
  }

  private final Records records;

  /** Answers from the journal in a directory. */
  public JournalExplainer(Path journal) {
    this(consumer -> JournalPump.pump(journal, consumer, (records, rows, donePermille) -> {}));
  }

  JournalExplainer(Records records) {
    this.records = records;
  }

  /**
   * Explains one request. An id that the journal does not have may be the one that a client sent to
   * a server: the request is then the one that has it behind the prefix of an endpoint, if one has.
   *
   * @throws IOException if the journal cannot be read
   */
  public Explanation explain(RequestSelector selector) throws IOException {
    final RequestFollower follower = new RequestFollower(selector);
    final Explanation explanation = explain(selector, follower);
    final List<String> answerIds = follower.answerIds();
    if (!(explanation instanceof Explanation.Unknown) || answerIds.isEmpty()) {
      return explanation;
    }
    if (answerIds.size() > 1) {
      return new Explanation.Unknown(
          "several requests have the client's id: id=%s, requests=%s; choose one of these"
              .formatted(selector.id(), String.join(", ", answerIds)),
          List.of());
    }
    final RequestSelector named = selector.withId(answerIds.getFirst());
    return explain(named, new RequestFollower(named));
  }

  private Explanation explain(RequestSelector selector, RequestFollower follower)
      throws IOException {
    final JournalEnd end = records.playTo(new RunModel(follower));
    final RequestExplanation explanation = follower.explanation();
    if (explanation != null) {
      final List<String> notes = notes(follower, explanation, end);
      return new Explanation.Answer(
          new ExplanationText(explanation, notes).write(),
          new ExplanationJson(explanation, notes).write(),
          end);
    }
    final RequestFollower.Rejected rejected = follower.rejected();
    return rejected == null ? unknown(selector, follower, end) : rejected(rejected, end);
  }

  /**
   * Lists the requests that took longest from arrival to end.
   *
   * @param run which run of the journal, from 0, or {@link RequestSelector#LATEST} for all
   */
  public Explanation.Answer slowest(int count, int run) throws IOException {
    return candidates(LongestRequests.By.SLOWEST, count, run);
  }

  /**
   * Lists the requests that spent most time in the queue.
   *
   * @param run which run of the journal, from 0, or {@link RequestSelector#LATEST} for all
   */
  public Explanation.Answer longestWait(int count, int run) throws IOException {
    return candidates(LongestRequests.By.LONGEST_WAIT, count, run);
  }

  private Explanation.Answer candidates(LongestRequests.By by, int count, int run)
      throws IOException {
    final LongestRequests candidates = new LongestRequests(by, count, run);
    final JournalEnd end = records.playTo(new RunModel(candidates));
    return new Explanation.Answer(
        CandidateList.text(candidates.ranking()), CandidateList.json(candidates.ranking()), end);
  }

  private static Explanation.Answer rejected(RequestFollower.Rejected rejected, JournalEnd end) {
    final RejectedRecord record = rejected.record();
    final TextLayout page = new TextLayout().heading("Request " + record.requestId());
    page.text(Phrases.plural(record.promptTokens(), "prompt token") + "; run " + rejected.run());
    page.text("REJECTED at " + Durations.exact(record.atNs()) + ": " + record.reason());
    page.text(record.message());
    final ExplanationJson.Node node =
        new ExplanationJson.Node()
            .put("format", "headway-explain")
            .put("schema_version", 1)
            .put("request_id", record.requestId())
            .put("run", rejected.run())
            .put("arrival_time", record.atNs())
            .put("status", "rejected")
            .put("reject_reason", record.reason())
            .put("message", record.message());
    return new Explanation.Answer(page.toString(), ExplanationJson.text(node.fields) + "\n", end);
  }

  private static Explanation.Unknown unknown(
      RequestSelector selector, RequestFollower follower, JournalEnd end) {
    final StringBuilder message = new StringBuilder("no request of that id: id=");
    message.append(selector.id());
    if (selector.run() != RequestSelector.LATEST) {
      message.append(", run=").append(selector.run());
    }
    if (selector.number() != RequestSelector.LATEST) {
      message.append(", number=").append(selector.number());
    }
    message.append(", requests=").append(follower.requests());
    message.append(", runs=").append(follower.runs());
    if (!follower.matches().isEmpty()) {
      message.append("; it occurs as ").append(list(follower.matches()));
    }
    if (end.state() != JournalEnd.State.CLEAN) {
      message.append("; the journal is ").append(end.state().label());
      message.append(", so it may come later: ").append(end.detail());
    }
    final boolean elsewhere = !follower.matches().isEmpty();
    return new Explanation.Unknown(message.toString(), elsewhere ? List.of() : follower.closest());
  }

  private static List<String> notes(
      RequestFollower follower, RequestExplanation explanation, JournalEnd end) {
    final List<String> notes = new ArrayList<>();
    if (!explanation.hasDetails()) {
      notes.add(
          "The journal is of level summary: it has no wait reasons and no work of single requests."
              + " Record at level full to know why it waited.");
    }
    if (explanation.request().end() == null) {
      notes.add(
          end.state() == JournalEnd.State.CLEAN
              ? "The run ended before the request did."
              : "The journal is " + end.state().label() + " before its end: " + end.detail());
    }
    if (explanation.isIncomplete()) {
      notes.add(
          "The writer dropped records while the request lived: something may be missing, and time"
              + " be booked to the reason before.");
    }
    if (follower.selected() > 1) {
      notes.add(
          "The journal has "
              + Phrases.plural(follower.matches().size(), "request")
              + " of this id, this is the latest that matches: "
              + list(follower.matches())
              + ". Choose by --run and --number.");
    }
    return notes;
  }

  private static String list(List<RequestMatch> matches) {
    final List<String> words = new ArrayList<>();
    for (RequestMatch each : matches) {
      words.add("number " + each.number() + " of run " + each.run());
    }
    return String.join(", ", words);
  }
}
