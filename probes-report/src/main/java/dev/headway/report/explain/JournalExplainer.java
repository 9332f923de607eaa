package dev.headway.report.explain;

import dev.headway.events.live.RecordConsumer;
import dev.headway.probes.chronicle.JournalEnd;
import dev.headway.probes.chronicle.JournalPump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Answers questions about single requests from a journal. Reads it from the beginning for each
 * question, twice if other requests are to be named; nothing else is kept. One thread.
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
   * Explains one request.
   *
   * @throws IOException if the journal cannot be read
   */
  public Explanation explain(Choice choice) throws IOException {
    final RequestFollower follower = new RequestFollower(choice);
    final JournalEnd end = records.playTo(follower);
    final Story story = follower.story();
    if (story != null) {
      final Names names = new Names(story);
      if (names.isNeeded()) {
        records.playTo(names);
      }
      final List<String> notes = notes(follower, story, end);
      return new Explanation.Answer(
          new StoryText(story, names, notes).write(),
          new StoryJson(story, names, notes).write(),
          end);
    }
    final RequestFollower.Refused refused = follower.refused();
    return refused == null ? unknown(choice, follower, end) : refused(choice, refused, end);
  }

  /**
   * Lists the requests that took longest from arrival to end.
   *
   * @param run which run of the journal, from 0, or {@link Choice#LATEST} for all
   */
  public Explanation.Answer slowest(int count, int run) throws IOException {
    return candidates(Candidates.By.SLOWEST, count, run);
  }

  /**
   * Lists the requests that spent most time in the queue.
   *
   * @param run which run of the journal, from 0, or {@link Choice#LATEST} for all
   */
  public Explanation.Answer longestWait(int count, int run) throws IOException {
    return candidates(Candidates.By.LONGEST_WAIT, count, run);
  }

  private Explanation.Answer candidates(Candidates.By by, int count, int run) throws IOException {
    final Candidates candidates = new Candidates(by, count, run);
    final JournalEnd end = records.playTo(candidates);
    return new Explanation.Answer(
        CandidateList.text(candidates.ranking()), CandidateList.json(candidates.ranking()), end);
  }

  private static Explanation.Answer refused(
      Choice choice, RequestFollower.Refused refused, JournalEnd end) {
    final Page page = new Page().heading("Request " + choice.id());
    page.text(Words.plural(refused.promptTokens(), "prompt token") + "; run " + refused.run());
    page.text("REJECTED at " + Durations.exact(refused.arrivalNs()) + ": " + refused.reason());
    page.text(refused.message());
    final StoryJson.Node node =
        new StoryJson.Node()
            .put("format", "headway-explain")
            .put("schema_version", 1)
            .put("request_id", choice.id())
            .put("run", refused.run())
            .put("arrival_time", refused.arrivalNs())
            .put("status", "rejected")
            .put("reject_reason", refused.reason())
            .put("message", refused.message());
    return new Explanation.Answer(page.toString(), StoryJson.text(node.fields) + "\n", end);
  }

  private static Explanation.Unknown unknown(
      Choice choice, RequestFollower follower, JournalEnd end) {
    final StringBuilder message = new StringBuilder("no request of that id: id=");
    message.append(choice.id());
    if (choice.run() != Choice.LATEST) {
      message.append(", run=").append(choice.run());
    }
    if (choice.number() != Choice.LATEST) {
      message.append(", number=").append(choice.number());
    }
    message.append(", requests=").append(follower.requests());
    message.append(", runs=").append(follower.runs());
    if (!follower.occurrences().isEmpty()) {
      message.append("; it occurs as ").append(list(follower.occurrences()));
    }
    if (end.state() != JournalEnd.State.CLEAN) {
      message.append("; the journal is ").append(end.state().label());
      message.append(", so it may come later: ").append(end.detail());
    }
    final boolean elsewhere = !follower.occurrences().isEmpty();
    return new Explanation.Unknown(message.toString(), elsewhere ? List.of() : follower.closest());
  }

  private static List<String> notes(RequestFollower follower, Story story, JournalEnd end) {
    final List<String> notes = new ArrayList<>();
    if (!story.hasDetails()) {
      notes.add(
          "The journal is of level summary: it has no wait reasons and no work of single requests."
              + " Record at level full to know why it waited.");
    }
    if (story.end() == null) {
      notes.add(
          end.state() == JournalEnd.State.CLEAN
              ? "The run ended before the request did."
              : "The journal is " + end.state().label() + " before its end: " + end.detail());
    }
    if (story.isIncomplete()) {
      notes.add(
          "The writer dropped records while the request lived: something may be missing, and time"
              + " be booked to the reason before.");
    }
    if (follower.found() > 1) {
      notes.add(
          "The journal has "
              + Words.plural(follower.occurrences().size(), "request")
              + " of this id, this is the latest that matches: "
              + list(follower.occurrences())
              + ". Choose by --run and --number.");
    }
    return notes;
  }

  private static String list(List<Occurrence> occurrences) {
    final List<String> words = new ArrayList<>();
    for (Occurrence each : occurrences) {
      words.add("number " + each.number() + " of run " + each.run());
    }
    return String.join(", ", words);
  }
}
