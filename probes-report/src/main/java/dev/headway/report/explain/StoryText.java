package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.record.QueuedRecord;
import dev.headway.events.text.SafeText;
import java.util.List;
import java.util.Locale;

/** A story for people: plain text that fits a terminal. */
final class StoryText {

  private static final int LABEL = 41;

  private final Story story;
  private final Names names;
  private final List<String> notes;
  private final Page page = new Page();

  StoryText(Story story, Names names, List<String> notes) {
    this.story = story;
    this.names = names;
    this.notes = notes;
  }

  String write() {
    heading();
    page.heading(
        "What happened (ns since its arrival, which is at "
            + Durations.exact(story.request().arrivalNs())
            + " of the run)");
    new MomentText(story, names, page).write();
    if (story.end() == null) {
      page.at(story.untilNs() - story.request().arrivalNs(), "the journal knows no more");
    }
    tokens();
    account();
    final List<String> advice = new Advice(story, names).sentences();
    if (!advice.isEmpty()) {
      page.heading("What would have helped");
      advice.forEach(page::text);
    }
    if (!notes.isEmpty()) {
      page.heading("Notes");
      notes.forEach(page::text);
    }
    return page.toString();
  }

  private void heading() {
    final QueuedRecord request = story.request();
    final StringBuilder asked = new StringBuilder();
    asked
        .append(Words.plural(request.promptTokens(), "prompt token"))
        .append(", at most ")
        .append(Words.plural(request.maxTokens(), "output token"))
        .append(", priority ")
        .append(request.priority());
    if (request.tenant() != null) {
      asked.append(", tenant ").append(request.tenant());
    }
    if (request.adapter() != null) {
      asked.append(", adapter ").append(request.adapter());
    }
    if (request.ttftTargetNs() != ABSENT) {
      asked.append(", wants its first token in ").append(Durations.human(request.ttftTargetNs()));
    }
    if (request.timeoutNs() != ABSENT) {
      asked.append(", times out after ").append(Durations.human(request.timeoutNs()));
    }
    page.heading("Request " + request.requestId());
    page.text(asked.toString());
    page.text(
        "run "
            + story.run()
            + ", number "
            + request.requestNumber()
            + "; journal of level "
            + story.header().level()
            + (story.header().virtualTime() ? ", virtual time" : ""));
    page.text("ended: " + MomentText.end(story.end(), story));
    page.text(summary());
  }

  private String summary() {
    final long arrivalNs = story.request().arrivalNs();
    final long totalNs = story.account().totalNs();
    final StringBuilder text = new StringBuilder();
    text.append(story.end() == null ? "so far " : "end to end ").append(Durations.both(totalNs));
    if (story.firstTokenNs() != ABSENT) {
      text.append(", first token after ").append(Durations.human(story.firstTokenNs() - arrivalNs));
    }
    text.append(", in the queue ").append(Durations.human(story.account().waitedNs()));
    final int setbacks = story.moments(Setback.class).size();
    if (setbacks > 0) {
      text.append(", ").append(Words.plural(setbacks, "preemption"));
    }
    return text.toString();
  }

  private void tokens() {
    final TokenTimes tokens = story.tokens();
    if (!tokens.hasGaps()) {
      return;
    }
    page.heading("Between its tokens");
    page.text(
        Words.plural(tokens.count(), "token")
            + " in "
            + Durations.human(tokens.lastNs() - tokens.firstNs())
            + ": gaps p50 "
            + Durations.both(tokens.medianGapNs())
            + ", max "
            + Durations.both(tokens.longestGapNs()));
    final TokenTimes.Origin origin = tokens.longestGapOrigin();
    if (origin != null) {
      page.text(
          "the longest stands before token "
              + Durations.count(tokens.tokenAfterLongestGap())
              + ", of iteration "
              + MomentText.iteration(origin.stepId())
              + ": "
              + because(origin));
    }
  }

  private static String because(TokenTimes.Origin origin) {
    return origin.interruption() != null
        ? "it had been kept from computing, " + origin.interruption()
        : "which computed "
            + Words.plural(origin.stepTokens(), "token")
            + ", "
            + Durations.count(origin.promptTokens())
            + " of them for prompts";
  }

  private void account() {
    final TimeAccount account = story.account();
    final boolean first = story.firstTokenNs() != ABSENT;
    page.heading("Where the time went");
    page.line(row("", "", "ns", "share", first ? "to 1st token" : ""));
    long beforeFirstNs = 0;
    for (TimeAccount.Line line : account.lines()) {
      beforeFirstNs += line.beforeFirstTokenNs();
      page.line(row(label(line), line.ns(), account.totalNs(), first, line.beforeFirstTokenNs()));
    }
    final String total = story.end() == null ? "so far" : "end to end";
    page.line(row(total, account.totalNs(), account.totalNs(), first, beforeFirstNs));
  }

  private static String label(TimeAccount.Line line) {
    return line.phase() == Phase.BEFORE_QUEUE
        ? line.phase().words()
        : line.phase().words() + ": " + line.label();
  }

  private static String row(
      String label, long ns, long totalNs, boolean hasFirst, long beforeFirstNs) {
    final String share =
        totalNs == 0 ? "" : String.format(Locale.ROOT, "%.1f %%", 100.0 * ns / totalNs);
    return row(
        label,
        Durations.human(ns),
        Durations.count(ns),
        share,
        hasFirst ? Durations.human(beforeFirstNs) : "");
  }

  private static String row(String label, String human, String exact, String share, String first) {
    final String safe = SafeText.of(label);
    final String fitting = safe.length() > LABEL ? safe.substring(0, LABEL) : safe;
    return String.format(
        Locale.ROOT, "  %-" + LABEL + "s%11s%16s%8s%14s", fitting, human, exact, share, first);
  }
}
