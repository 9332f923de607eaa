package dev.headway.report.html.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.events.text.Human;
import dev.headway.report.html.chart.Axis;
import dev.headway.report.html.figures.GanttRow;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.markup.Markup;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The lives of requests, one row each. */
final class Lives {

  private static final int ROW = 8;
  private static final double WIDTH = 1_000;
  private static final int TABLE_ROWS = 30;
  private static final int LABEL_EVERY = 10;
  private static final Map<Phase, String> STYLES =
      new EnumMap<>(
          Map.of(
              Phase.PREFILL, "p-prefill",
              Phase.DECODE, "p-decode",
              Phase.RECOMPUTE, "p-recompute"));

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

  void write(Axis x) {
    Section.open(out, "requests", "Lives of requests");
    final List<GanttRow> rows = run.gantt().rows();
    if (rows.isEmpty()) {
      Section.note(out, "No request entered the queue.");
      Section.close(out);
      return;
    }
    final long left = run.gantt().seen() - rows.size();
    Section.note(
        out,
        (left == 0
                ? "All " + Human.count(rows.size()) + " requests"
                : "Every "
                    + ordinal(run.gantt().step())
                    + " request, "
                    + Human.count(rows.size())
                    + " of "
                    + Human.count(run.gantt().seen())
                    + "; "
                    + Human.count(left)
                    + " are left out")
            + ", in order of arrival. Thick: running. Thin: waiting, coloured by what for; causes"
            + " that alternate faster than "
            + Human.duration(endNs / 600)
            + " are joined. Point at a row for its figures.");
    final List<String> names = new ArrayList<>(List.of("prefill", "decode", "recompute"));
    names.addAll(colors.names().stream().map(name -> "waiting: " + name).toList());
    final List<String> styles = new ArrayList<>(List.of("p-prefill", "p-decode", "p-recompute"));
    styles.addAll(colors.styles());
    Section.openFigure(out, "Every row is a request", "", "panel");
    Section.legend(out, names, styles);
    writeBars(rows, x);
    writeTable(rows);
    Section.close(out);
  }

  private void writeBars(List<GanttRow> rows, Axis x) {
    final int height = rows.size() * ROW;
    out.open("div", "class", "lives");
    out.open("div", "class", "names", "aria-hidden", "true", "style", "height:" + height + "px");
    for (int i = 0; i < rows.size(); i += LABEL_EVERY) {
      out.element(
          "span", "#" + rows.get(i).request().number(), "style", "top:" + (i * ROW - 3) + "px");
    }
    out.close("div").open("div", "class", "bars");
    out.open(
        "svg",
        "id",
        "lives",
        "viewBox",
        "0 0 1000 " + height,
        "preserveAspectRatio",
        "none",
        "style",
        "height:" + height + "px",
        "role",
        "img",
        "aria-label",
        "Lives of requests over time; the table below has their figures.");
    for (int i = 0; i < rows.size(); i++) {
      writeRow(rows.get(i), i * ROW);
    }
    out.close("svg");
    out.open("div", "class", "times", "id", "lives-times", "aria-hidden", "true");
    for (Axis.Tick tick : x.ticks()) {
      out.element(
          "span", tick.text(), "style", "left:" + number(100 * x.position(tick.value())) + "%");
    }
    out.close("div").close("div").close("div");
  }

  private void writeRow(GanttRow row, int top) {
    out.open("g").element("title", describe(row.request()));
    out.shape(
        "rect",
        "x",
        "0",
        "y",
        Integer.toString(top),
        "width",
        "1000",
        "height",
        Integer.toString(ROW),
        "class",
        "hit");
    for (GanttRow.Bar bar : row.bars()) {
      final boolean waits = bar.phase().isWaiting();
      final double from = WIDTH * bar.fromNs() / endNs;
      out.shape(
          "rect",
          "x",
          number(from),
          "y",
          Integer.toString(waits ? top + 3 : top + 1),
          "width",
          number(Math.max(0.01, WIDTH * bar.toNs() / endNs - from)),
          "height",
          Integer.toString(waits ? 2 : ROW - 2),
          "class",
          waits
              ? colors.styleOf(run.waits().causes().get(bar.cause()))
              : "run " + STYLES.getOrDefault(bar.phase(), "p-decode"));
    }
    out.close("g");
  }

  private static String describe(RequestTimeline request) {
    final StringBuilder text = new StringBuilder("request ").append(request.id());
    if (request.queued().tenant() != null) {
      text.append(", tenant ").append(request.queued().tenant());
    }
    text.append(" · prompt ")
        .append(Human.count(request.queued().promptTokens()))
        .append(" tokens");
    text.append(" · arrived ").append(Human.duration(request.queued().arrivalNs()));
    instant(text, "admitted", request.firstScheduledNs());
    instant(text, "first token", request.firstTokenNs());
    instant(text, "ended", request.endedNs());
    text.append(" · waited ").append(Human.duration(request.waits().totalNs()));
    text.append(" · output ").append(Human.count(request.outputTokens())).append(" tokens");
    text.append(" · preempted ").append(request.preemptions()).append(" times");
    return text.append(" · ").append(endOf(request)).toString();
  }

  private void writeTable(List<GanttRow> rows) {
    final List<List<String>> cells = new ArrayList<>();
    final int step = Math.max(1, (rows.size() + TABLE_ROWS - 1) / TABLE_ROWS);
    for (int i = 0; i < rows.size(); i += step) {
      final RequestTimeline request = rows.get(i).request();
      cells.add(
          List.of(
              request.id(),
              Human.duration(request.queued().arrivalNs()),
              Human.duration(request.firstScheduledNs()),
              Human.duration(request.firstTokenNs()),
              Human.duration(request.endedNs()),
              Human.duration(request.waits().totalNs()),
              Human.count(request.queued().promptTokens()),
              Human.count(request.outputTokens()),
              Human.count(request.preemptions()),
              endOf(request)));
    }
    Section.closeFigure(
        out,
        List.of(
            "request",
            "arrived",
            "admitted",
            "first token",
            "ended",
            "waited",
            "prompt",
            "output",
            "preempted",
            "how it ended"),
        cells);
  }

  private static String endOf(RequestTimeline request) {
    final String reason = request.finishReason();
    return reason == null ? "still " + request.phase().label() : reason;
  }

  private static void instant(StringBuilder text, String name, long ns) {
    if (ns != ABSENT) {
      text.append(" · ").append(name).append(' ').append(Human.duration(ns));
    }
  }

  private static String ordinal(long number) {
    final long last = number % 10;
    final boolean teen = number % 100 >= 11 && number % 100 <= 13;
    return number + (teen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
