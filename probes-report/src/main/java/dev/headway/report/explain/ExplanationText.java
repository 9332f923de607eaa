package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.internal.SafeText;
import dev.headway.events.record.QueuedRecord;
import java.util.List;
import java.util.Locale;

/** A explanation for people: plain text that fits a terminal. */
final class ExplanationText {

  private static final int LABEL = 43;

  private final RequestExplanation explanation;
  private final List<String> notes;
  private final TextLayout page = new TextLayout();

  ExplanationText(RequestExplanation explanation, List<String> notes) {
    this.explanation = explanation;
    this.notes = notes;
  }

  String write() {
    heading();
    page.heading(
        "What happened (ns since its arrival, which is at "
            + Durations.exact(explanation.arrivalNs())
            + " of the run)");
    new TimelineText(explanation, page).write();
    if (explanation.request().end() == null) {
      page.at(explanation.untilNs() - explanation.arrivalNs(), "the journal knows no more");
    }
    tokens();
    account();
    final List<String> advice = new Advice(explanation).sentences();
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
    final QueuedRecord request = explanation.request().queued();
    final StringBuilder asked = new StringBuilder();
    asked
        .append(Phrases.plural(request.promptTokens(), "prompt token"))
        .append(", at most ")
        .append(Phrases.plural(request.maxTokens(), "output token"))
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
    if (request.queueTimeoutNs() != ABSENT) {
      asked.append(", waits at most ").append(Durations.human(request.queueTimeoutNs()));
    }
    if (request.runTimeoutNs() != ABSENT) {
      asked.append(", runs at most ").append(Durations.human(request.runTimeoutNs()));
    }
    page.heading("Request " + request.requestId());
    page.text(asked.toString());
    page.text(
        "run "
            + explanation.run().index()
            + ", number "
            + request.requestNumber()
            + "; journal of level "
            + explanation.header().level()
            + (explanation.header().virtualTime() ? ", virtual time" : ""));
    page.text("ended: " + TimelineText.end(explanation));
    page.text(summary());
  }

  private String summary() {
    final long arrivalNs = explanation.arrivalNs();
    final long totalNs = explanation.account().totalNs();
    final StringBuilder text = new StringBuilder();
    text.append(explanation.request().end() == null ? "so far " : "end to end ")
        .append(Durations.both(totalNs));
    if (explanation.request().firstTokenNs() != ABSENT) {
      text.append(", first token after ")
          .append(Durations.human(explanation.request().firstTokenNs() - arrivalNs));
    }
    text.append(", in the queue ").append(Durations.human(explanation.request().waits().totalNs()));
    final int preemptions = explanation.request().preemptions();
    if (preemptions > 0) {
      text.append(", ").append(Phrases.plural(preemptions, "preemption"));
    }
    return text.toString();
  }

  private void tokens() {
    final TokenTimes tokens = explanation.tokens();
    if (!tokens.hasGaps()) {
      return;
    }
    page.heading("Between its tokens");
    page.text(
        Phrases.plural(tokens.count(), "token")
            + " in "
            + Durations.human(tokens.lastNs() - tokens.firstNs())
            + ": gaps p50 "
            + Durations.both(tokens.medianGapNs())
            + ", max "
            + Durations.both(tokens.longestGapNs()));
    final TokenTimes.Origin origin = tokens.longestGapOrigin();
    if (origin != null) {
      page.text(
          "the longest is before token "
              + Durations.count(tokens.tokenAfterLongestGap())
              + ", of iteration "
              + TimelineText.iteration(origin.stepId())
              + ": "
              + because(origin));
    }
  }

  private static String because(TokenTimes.Origin origin) {
    return origin.interruption() != null
        ? "it had been kept from computing, " + origin.interruption()
        : "which computed "
            + Phrases.plural(origin.stepTokens(), "token")
            + ", "
            + Durations.count(origin.promptTokens())
            + " of them for prompts";
  }

  private void account() {
    final TimeAccount account = explanation.account();
    final boolean first = explanation.request().firstTokenNs() != ABSENT;
    page.heading("Where the time went");
    page.line(row("", "", "ns", "share", first ? "to 1st token" : ""));
    long beforeFirstNs = 0;
    for (TimeAccount.Line line : account.lines()) {
      beforeFirstNs += line.beforeFirstTokenNs();
      page.line(row(label(line), line.ns(), account.totalNs(), first, line.beforeFirstTokenNs()));
    }
    final String total = explanation.request().end() == null ? "so far" : "end to end";
    page.line(row(total, account.totalNs(), account.totalNs(), first, beforeFirstNs));
  }

  private static String label(TimeAccount.Line line) {
    if (line.label().equals(Activity.SUBMITTED)) {
      return line.phase().words();
    }
    return line.root().equals(line.label())
        ? line.phase().words() + ": " + line.label()
        : line.phase().words() + " behind " + line.root();
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
        Locale.ROOT, "  %-" + LABEL + "s%10s%16s%8s%13s", fitting, human, exact, share, first);
  }
}
