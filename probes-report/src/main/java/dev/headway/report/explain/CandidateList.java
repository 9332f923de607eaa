package dev.headway.report.explain;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.internal.SafeText;
import dev.headway.report.explain.LongestRequests.Candidate;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The longest requests, as a table or as JSON. */
final class CandidateList {

  private static final int NARROWEST_ID = 30;
  private static final int WIDEST_ID = 80;

  private CandidateList() {}

  static String text(List<Candidate> candidates) {
    final TextLayout page = new TextLayout();
    final int idWidth =
        candidates.stream()
            .mapToInt(each -> Math.min(SafeText.of(each.id()).length(), WIDEST_ID))
            .reduce(NARROWEST_ID, Math::max);
    page.line(row(idWidth, "REQUEST", "RUN", "END TO END", "TTFT", "QUEUED", "PREEMPTED", "END"));
    for (Candidate each : candidates) {
      page.line(
          row(
              idWidth,
              each.id(),
              Integer.toString(each.run()),
              Durations.human(each.e2eNs()),
              each.ttftNs() == ABSENT ? "-" : Durations.human(each.ttftNs()),
              Durations.human(each.waitedNs()),
              Integer.toString(each.preemptions()),
              each.end()));
    }
    return page.toString();
  }

  static String json(List<Candidate> candidates) {
    return ExplanationJson.text(candidates.stream().map(CandidateList::node).toList()) + "\n";
  }

  private static Map<String, Object> node(Candidate each) {
    return new ExplanationJson.Node()
        .put("request_id", each.id())
        .put("run", each.run())
        .put("request_number", each.number())
        .put("e2e_latency", each.e2eNs())
        .ns("ttft", each.ttftNs())
        .put("waiting_time", each.waitedNs())
        .put("preemption_count", each.preemptions())
        .put("end", each.end())
        .fields;
  }

  private static String row(
      int idWidth,
      String id,
      String run,
      String e2e,
      String ttft,
      String queued,
      String preempted,
      String end) {
    final String safe = SafeText.of(id);
    return String.format(
        Locale.ROOT,
        "%-" + idWidth + "s %3s %11s %11s %11s %9s  %s",
        safe,
        run,
        e2e,
        ttft,
        queued,
        preempted,
        SafeText.of(end));
  }
}
