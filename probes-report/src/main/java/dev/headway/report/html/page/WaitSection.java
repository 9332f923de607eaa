package dev.headway.report.html.page;

import dev.headway.events.model.Cause;
import dev.headway.events.reason.WaitReasonTable;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.WaitFigures;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Waiting, explained. */
final class WaitSection {

  private WaitSection() {}

  static void write(Markup out, ReportFigures run) {
    final WaitFigures waits = run.waits();
    Section.open(out, "waits", "Waiting, explained");
    if (waits.totalNs() == 0) {
      Section.note(out, "No request waited.");
      Section.close(out);
      return;
    }
    out.open("div", "class", "pair");
    out.open("div").element("h3", "As the scheduler said it");
    writeReasons(out, waits);
    out.close("div").open("div").element("h3", "What would have to change");
    writeRoots(out, waits);
    Section.note(
        out,
        "head_of_line is resolved: a request behind another one waits for what that one"
            + " waits for.");
    out.close("div").close("div");
    writeLongest(out, waits);
    Section.close(out);
  }

  private static void writeReasons(Markup out, WaitFigures waits) {
    final Map<String, Long> ended =
        waits.endedByReason().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    final List<List<String>> rows = new ArrayList<>();
    for (Map.Entry<String, Long> reason : waits.by(Cause::reason)) {
      final long endedNs = ended.getOrDefault(reason.getKey(), 0L);
      rows.add(
          List.of(
              reason.getKey(),
              Human.percent((double) reason.getValue() / waits.totalNs()),
              Human.duration(endedNs),
              Human.duration(reason.getValue() - endedNs)));
    }
    final long endedTotalNs = waits.totalNs() - waits.openTotalNs();
    rows.add(
        List.of(
            "all", "100.0 %", Human.duration(endedTotalNs), Human.duration(waits.openTotalNs())));
    Section.table(out, List.of("reason", "share", "requests ended", "still alive"), rows);
  }

  private static void writeRoots(Markup out, WaitFigures waits) {
    final List<List<String>> rows = new ArrayList<>();
    for (Map.Entry<String, Long> root : waits.by(Cause::root)) {
      rows.add(
          List.of(
              root.getKey(),
              WaitReasonTable.familyOf(root.getKey()).label(),
              Human.percent((double) root.getValue() / waits.totalNs()),
              Human.duration(root.getValue())));
    }
    Section.table(
        out, List.of("reason of the request in front", "too little of", "share", "time"), rows);
  }

  private static void writeLongest(Markup out, WaitFigures waits) {
    final List<WaitFigures.LongStay> longest = waits.longest();
    out.element("h3", "The " + longest.size() + " longest waits");
    Section.note(
        out,
        "One uninterrupted stay in the queue each, head_of_line resolved. The blocker is the request"
            + " that blocked it last.");
    final List<List<String>> rows = new ArrayList<>();
    for (WaitFigures.LongStay stay : longest) {
      rows.add(
          List.of(
              stay.id(),
              stay.tenant() == null ? "" : stay.tenant(),
              Human.duration(stay.lengthNs()),
              Human.duration(stay.fromNs()),
              Human.duration(stay.toNs()),
              Human.count(stay.promptTokens()),
              breakdown(stay),
              stay.blocker() == null ? "" : stay.blocker(),
              stay.afterPreemption() ? "preempted" : "new"));
    }
    Section.table(
        out,
        List.of("request", "tenant", "waited", "from", "to", "prompt", "for", "blocker", "kind"),
        rows);
  }

  private static String breakdown(WaitFigures.LongStay stay) {
    return stay.breakdown().stream()
        .limit(3)
        .map(
            part ->
                part.getKey()
                    + " "
                    + Human.percent((double) part.getValue() / Math.max(1, stay.lengthNs())))
        .collect(Collectors.joining(", "));
  }
}
