package dev.headway.report.html.page;

import dev.headway.report.html.figures.BusiestFigures;
import dev.headway.report.html.figures.GanttRow;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;

/** The lives of requests, one row each: at the busiest instant, and over the whole run. */
final class Lives {

  private static final int MARKS = 9;

  private final Markup out;
  private final ReportFigures run;
  private final ReasonColors colors;
  private final double endNs;

  Lives(Markup out, ReportFigures run, ReasonColors colors, double endNs) {
    this.out = out;
    this.run = run;
    this.colors = colors;
    this.endNs = endNs;
  }

  /** Writes the section; {@code journal} is named in the commands that it shows. */
  void write(Axis x, String journal) {
    Section.open(out, "requests", "Lives of requests");
    final List<GanttRow> rows = run.gantt().rows();
    if (rows.isEmpty()) {
      Section.note(out, "No request entered the queue.");
      Section.close(out);
      return;
    }
    Section.note(
        out,
        "Thick: running. Thin: waiting, coloured by what for. Point at a row for its figures; click"
            + " a row or an id to see what that request waited for and how to explain it.");
    writeSearch(journal);
    writeBusiest();
    writeAll(rows, x);
    Section.close(out);
  }

  /** Shown by the script only. */
  private void writeSearch(String journal) {
    out.open("form", "class", "find", "data-journal", journal);
    out.open("label").text("Request ");
    out.single("input", "type", "search", "id", "find", "placeholder", "id");
    out.close("label").text(" ").element("button", "Explain", "type", "submit").close("form");
    out.open("div", "id", "about", "class", "about", "role", "status").close("div");
  }

  private void writeBusiest() {
    final BusiestFigures busiest = run.busiest();
    final double fromNs = busiest.fromNs();
    final double toNs = busiest.toNs();
    final List<GanttRow> rows = busiest.rows();
    Section.openFigure(
        out,
        "The busiest moment",
        Human.count(busiest.peak())
            + " requests in the queue or running, "
            + Human.duration(busiest.peakNs())
            + " after the start of the run; "
            + (rows.size() < busiest.peak()
                ? Human.count(rows.size()) + " of them, evenly picked, "
                : "all of them ")
            + "in order of arrival.",
        "panel");
    writeLegend();
    final GanttPicture picture = new GanttPicture(out, run, colors, "busiest", fromNs, toNs);
    picture.writeBars(rows, Axis.time("time since the start of the run", fromNs, toNs, MARKS));
    picture.writeTable(rows);
  }

  private void writeAll(List<GanttRow> rows, Axis x) {
    final long left = run.gantt().seen() - rows.size();
    Section.openFigure(
        out,
        "The whole run",
        (left == 0
                ? "All " + Human.count(rows.size()) + " requests"
                : "Every "
                    + ordinal(run.gantt().step())
                    + " request, "
                    + Human.count(rows.size())
                    + " of "
                    + Human.count(run.gantt().seen()))
            + ", in order of arrival; causes that alternate faster than "
            + Human.duration(endNs / 600)
            + " are joined.",
        "panel");
    final GanttPicture picture = new GanttPicture(out, run, colors, "lives", 0, endNs);
    picture.writeBars(rows, x);
    picture.writeTable(rows);
  }

  private void writeLegend() {
    final List<String> names = new ArrayList<>(List.of("prefill", "decode", "recompute"));
    names.addAll(colors.names().stream().map(name -> "waiting: " + name).toList());
    final List<String> styles = new ArrayList<>(List.of("p-prefill", "p-decode", "p-recompute"));
    styles.addAll(colors.styles());
    Section.legend(out, names, styles);
  }

  private static String ordinal(long number) {
    final long last = number % 10;
    final boolean teen = number % 100 >= 11 && number % 100 <= 13;
    return number + (teen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
  }
}
