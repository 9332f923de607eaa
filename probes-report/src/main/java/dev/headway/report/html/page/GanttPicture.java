package dev.headway.report.html.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Cause;
import dev.headway.events.model.Phase;
import dev.headway.events.model.RequestTimeline;
import dev.headway.report.html.figures.GanttRow;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A picture with a row for each of some requests, over a stretch of time, and its table. */
final class GanttPicture {

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
  private final String id;
  private final double fromNs;
  private final double toNs;

  /** The picture {@code id}, from one instant to another. */
  GanttPicture(
      Markup out, ReportFigures run, ReasonColors colors, String id, double fromNs, double toNs) {
    this.out = out;
    this.run = run;
    this.colors = colors;
    this.id = id;
    this.fromNs = fromNs;
    this.toNs = toNs;
  }

  void writeBars(List<GanttRow> rows, Axis x) {
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
        id,
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
    out.open("div", "class", "times", "id", id + "-times", "aria-hidden", "true");
    for (Axis.Tick tick : x.ticks()) {
      out.element(
          "span", tick.text(), "style", "left:" + number(100 * x.position(tick.value())) + "%");
    }
    out.close("div").close("div").close("div");
  }

  private void writeRow(GanttRow row, int top) {
    out.open("g", "data-request", row.request().id());
    out.element("title", describe(row.request()));
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
      final double from = WIDTH * Math.max(0, bar.fromNs() - fromNs) / (toNs - fromNs);
      final double to = WIDTH * Math.min(1, (bar.toNs() - fromNs) / (toNs - fromNs));
      if (bar.toNs() < fromNs || bar.fromNs() > toNs) {
        continue;
      }
      out.shape(
          "rect",
          "x",
          number(from),
          "y",
          Integer.toString(waits ? top + 3 : top + 1),
          "width",
          number(Math.max(0.01, to - from)),
          "height",
          Integer.toString(waits ? 2 : ROW - 2),
          "class",
          waits
              ? colors.styleOf(run.waits().causes().get(bar.cause()))
              : "run " + STYLES.getOrDefault(bar.phase(), "p-decode"));
    }
    out.close("g");
  }

  private String describe(RequestTimeline request) {
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
    text.append(waitedFor(request));
    text.append(" · output ").append(Human.count(request.outputTokens())).append(" tokens");
    text.append(" · preempted ").append(request.preemptions()).append(" times");
    return text.append(" · ").append(endOf(request)).toString();
  }

  void writeTable(List<GanttRow> rows) {
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

  /** Its waiting time by what had to change, the most first. */
  private String waitedFor(RequestTimeline request) {
    final Map<String, Long> byRoot = new LinkedHashMap<>();
    for (Cause cause : run.waits().causes()) {
      if (request.waits().ns(cause) > 0) {
        byRoot.merge(cause.root(), request.waits().ns(cause), Long::sum);
      }
    }
    return byRoot.isEmpty()
        ? ""
        : byRoot.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
            .map(each -> each.getKey() + " " + Human.duration(each.getValue()))
            .collect(Collectors.joining(", ", " (", ")"));
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

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
