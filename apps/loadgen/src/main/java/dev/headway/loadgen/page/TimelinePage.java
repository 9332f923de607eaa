package dev.headway.loadgen.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.loadgen.metrics.Latency;
import dev.headway.loadgen.result.RunReport;
import dev.headway.loadgen.run.RunRecord;
import dev.headway.routing.timing.RequestTiming;
import dev.headway.routing.timing.TimingSegment;
import dev.headway.routing.timing.TimingStage;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.html.StaticPage;
import dev.headway.toolbox.stats.SortedSample;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A run as a page without scripts: a bar per request with its waiting and the gaps between its
 * tokens, how many were under way, the first tokens over time, the distributions. Stateless.
 */
public final class TimelinePage {

  private static final double NS_PER_SECOND = 1e9;
  private static final double MS_PER_SECOND = 1e3;
  private static final long FAST_GAP_NS = 25_000_000;
  private static final long SLOW_GAP_NS = 50_000_000;
  private static final int MOST_BARS = 300;
  private static final int MOST_PIECES = 40_000;
  private static final int MOST_POINTS = 4_000;
  private static final int WIDE = 1_100;
  private static final String QUEUE = "w6";
  private static final String FIRST = "p-prefill";
  private static final String FAST = "w4";
  private static final String MEDIUM = "w0";
  private static final String SLOW = "w1";

  private final Markup out;
  private final RunReport report;
  private final List<RunRecord> records;
  private final double endNs;

  private TimelinePage(Markup out, RunReport report) {
    this.out = out;
    this.report = report;
    this.records = report.run().measured();
    this.endNs = (double) Math.max(1, report.run().durationNs());
  }

  /** Renders a run. */
  public static String render(RunReport report) {
    final Map<String, String> sections = new LinkedHashMap<>();
    sections.put("figures", "Figures");
    if (report.stages().isKnown()) {
      sections.put("stages", "Where the time went");
    }
    sections.put("requests", "Requests");
    sections.put("time", "Over time");
    sections.put("distributions", "Distributions");
    return StaticPage.render(
        "A load against a server",
        report.facts().target()
            + " · "
            + report.facts().dataset()
            + " · "
            + report.facts().arrival(),
        sections,
        page -> new TimelinePage(page, report).write());
  }

  private void write() {
    Section.open(out, "figures", "Figures");
    if (report.run().isGeneratorSaturated()) {
      Section.note(
          out,
          "The load generator could not keep to its schedule: latencies say nothing of the server.");
    }
    writeFigures();
    Section.close(out);
    if (report.stages().isKnown()) {
      Section.open(out, "stages", "Where the time went");
      writeStages();
      Section.close(out);
    }
    Section.open(out, "requests", "Requests");
    writeBars();
    Section.close(out);
    Section.open(out, "time", "Over time");
    writeConcurrency();
    writeFirstTokens();
    Section.close(out);
    Section.open(out, "distributions", "Distributions");
    out.open("div", "class", "pair");
    writeDistribution(Latency.TTFT);
    writeDistribution(Latency.ITL);
    writeDistribution(Latency.TPOT);
    writeDistribution(Latency.E2EL);
    out.close("div");
    Section.close(out);
  }

  private void writeFigures() {
    final List<List<String>> rows = new ArrayList<>();
    for (Latency latency : Latency.values()) {
      if (latency.isOfClientQueue() && report.facts().maxConcurrency() == null) {
        continue;
      }
      final SortedSample of = report.metrics().of(latency);
      rows.add(
          List.of(
              latency.title(),
              ms(of.mean()),
              ms(of.median()),
              ms(of.percentile(90)),
              ms(of.percentile(99)),
              ms(of.max())));
    }
    Section.table(out, List.of("", "mean", "p50", "p90", "p99", "max"), rows);
    Section.note(
        out,
        String.format(
            Locale.ROOT,
            "%d requests answered, %d failed, %d ended by the client, in %.2f s; %.2f requests and"
                + " %.1f tokens per second; let go at %.2f per second, 99 %% at most %s late.",
            report.metrics().completed(),
            report.metrics().failed(),
            report.run().aborted(),
            report.metrics().durationSeconds(),
            report.metrics().requestThroughput(),
            report.metrics().outputThroughput(),
            report.run().achievedRate(),
            ms(report.run().lag().percentile(99))));
  }

  /** A bar per stage from where the one before ends, in the mean. */
  private void writeStages() {
    out.element("p", report.stages().verdict() + ".", "class", "sentence");
    final List<List<String>> rows = new ArrayList<>();
    final Map<TimingSegment, SortedSample> stages = report.stages().stages();
    final double all =
        stages.values().stream().mapToDouble(SortedSample::mean).sum() * NS_PER_SECOND;
    Section.openFigure(
        out,
        "Stages",
        "In the mean, each from the end of the one before; the first is at the top.",
        "");
    final Plot plot =
        new Plot(
            out,
            WIDE,
            60 + 18 * stages.size(),
            Axis.time("after the arrival", 0, Math.max(1, all), 10),
            Axis.linear("", 0, stages.size(), 1, at -> ""));
    plot.open("Mean duration of each stage, one after the other.");
    double from = 0;
    int row = stages.size();
    for (Map.Entry<TimingSegment, SortedSample> stage : stages.entrySet()) {
      row--;
      final double to = from + stage.getValue().mean() * NS_PER_SECOND;
      plot.bar(from, to, row + 0.1, row + 0.9, "area " + styleOf(stage.getKey().place()));
      from = to;
      rows.add(
          List.of(
              stage.getKey().label(),
              stage.getKey().place(),
              ms(stage.getValue().mean()),
              ms(stage.getValue().median()),
              ms(stage.getValue().percentile(99))));
    }
    plot.close();
    Section.closeFigure(out, List.of("stage", "place", "mean", "p50", "p99"), rows);
    Section.legend(
        out,
        List.of("client", "network", "router", "server", "tokenizer", "queue", "prefill", "decode"),
        List.of(QUEUE, "w2", "w3", MEDIUM, "w5", SLOW, FIRST, "p-decode"));
    Section.table(out, List.of("stage", "place", "mean", "p50", "p99"), rows);
  }

  private static String styleOf(String place) {
    return switch (place) {
      case "client" -> QUEUE;
      case "network" -> "w2";
      case "router" -> "w3";
      case "tokenizer" -> "w5";
      case "queue" -> SLOW;
      case "prefill" -> FIRST;
      case "decode" -> "p-decode";
      default -> MEDIUM;
    };
  }

  private static String ms(double seconds) {
    return Double.isFinite(seconds)
        ? String.format(Locale.ROOT, "%.2f ms", seconds * MS_PER_SECOND)
        : "n/a";
  }

  private void writeBars() {
    final int every = Math.max(1, Math.ceilDiv(records.size(), MOST_BARS));
    final List<RunRecord> shown = new ArrayList<>();
    for (int i = 0; i < records.size(); i += every) {
      shown.add(records.get(i));
    }
    Section.legend(
        out,
        List.of("in the client", "to the first token", "gap ≤ 25 ms", "≤ 50 ms", "longer"),
        List.of(QUEUE, FIRST, FAST, MEDIUM, SLOW));
    Section.openFigure(
        out,
        "Each request",
        every == 1 ? "In the order of arrival." : "Every " + every + "th, in the order of arrival.",
        "");
    final int height = Math.clamp(80 + 8L * shown.size(), 140, 1_400);
    final Plot plot =
        new Plot(
            out,
            WIDE,
            height,
            Axis.time("after the start", 0, endNs, 10),
            Axis.countsFromZero("request", Math.max(1, records.size()), 6, Human::number));
    plot.open("A bar per request from its arrival to its last token.");
    int pieces = 0;
    for (RunRecord record : shown) {
      pieces += writeBar(plot, record, every, pieces > MOST_PIECES);
    }
    plot.close();
    Section.closeFigure(
        out, List.of("request", "arrival", "first token", "last token"), rows(shown));
  }

  /** Of a long answer, or when there are too many pieces, one piece for all of its gaps. */
  private int writeBar(Plot plot, RunRecord record, int every, boolean coarse) {
    final RequestTiming at = record.exchange().at();
    final double bottom = record.index();
    final double top = bottom + 0.8 * every;
    if (!at.has(TimingStage.SENT)) {
      return 0;
    }
    final long sent = since(at.ns(TimingStage.SENT));
    bar(plot, since(at.ns(TimingStage.ARRIVED)), sent, bottom, top, QUEUE);
    if (!record.isOk()) {
      bar(plot, sent, since(at.ns(TimingStage.CLIENT_DONE)), bottom, top, SLOW);
      return 2;
    }
    final long[] chunks = record.exchange().chunksNs();
    if (chunks.length == 0) {
      bar(plot, sent, since(at.ns(TimingStage.CLIENT_LAST_TOKEN)), bottom, top, FIRST);
      return 2;
    }
    bar(plot, sent, since(chunks[0]), bottom, top, FIRST);
    int pieces = 2;
    int from = 0;
    while (from < chunks.length - 1) {
      int to = from + 1;
      final String style = styleOf(chunks[to] - chunks[from]);
      while (to < chunks.length - 1
          && (coarse || style.equals(styleOf(chunks[to + 1] - chunks[to])))) {
        to++;
      }
      bar(plot, since(chunks[from]), since(chunks[to]), bottom, top, style);
      pieces++;
      from = to;
    }
    return pieces;
  }

  private static String styleOf(long gapNs) {
    return gapNs <= FAST_GAP_NS ? FAST : gapNs <= SLOW_GAP_NS ? MEDIUM : SLOW;
  }

  private static void bar(
      Plot plot, long fromNs, long toNs, double bottom, double top, String style) {
    if (toNs > fromNs) {
      plot.bar((double) fromNs, (double) toNs, bottom, top, "area " + style);
    }
  }

  private long since(long ns) {
    return ns - report.run().originNs();
  }

  private List<List<String>> rows(List<RunRecord> shown) {
    final List<List<String>> rows = new ArrayList<>();
    for (RunRecord record : shown) {
      final RequestTiming at = record.exchange().at();
      rows.add(
          List.of(
              record.id(),
              after(at, TimingStage.ARRIVED),
              after(at, TimingStage.CLIENT_FIRST),
              after(at, TimingStage.CLIENT_LAST_TOKEN)));
    }
    return rows;
  }

  private String after(RequestTiming at, TimingStage stage) {
    return at.ns(stage) == ABSENT
        ? Human.UNKNOWN
        : String.format(Locale.ROOT, "%.3f s", since(at.ns(stage)) / NS_PER_SECOND);
  }

  private void writeConcurrency() {
    final List<long[]> changes = new ArrayList<>();
    for (RunRecord record : records) {
      final RequestTiming at = record.exchange().at();
      if (at.has(TimingStage.SENT) && at.has(TimingStage.CLIENT_DONE)) {
        changes.add(new long[] {since(at.ns(TimingStage.SENT)), 1});
        changes.add(new long[] {since(at.ns(TimingStage.CLIENT_DONE)), -1});
      }
    }
    changes.sort((a, b) -> a[0] != b[0] ? Long.compare(a[0], b[0]) : Long.compare(a[1], b[1]));
    final int every = Math.max(1, changes.size() / MOST_POINTS);
    final List<double[]> points = new ArrayList<>();
    points.add(new double[] {0, 0});
    int now = 0;
    int most = 0;
    for (int i = 0; i < changes.size(); i++) {
      now += (int) changes.get(i)[1];
      most = Math.max(most, now);
      if (i % every == 0 || i == changes.size() - 1) {
        points.add(new double[] {(double) Math.max(0, changes.get(i)[0]), now});
      }
    }
    Section.openFigure(out, "Under way", "Requests sent and not yet answered.", "");
    final Plot plot =
        new Plot(
            out,
            WIDE,
            260,
            Axis.time("after the start", 0, endNs, 10),
            Axis.countsFromZero("requests", Math.max(1, most), 5, Human::number));
    plot.open("Requests under way over time.");
    plot.stair(column(points, 0), column(points, 1), "line " + FIRST);
    plot.close();
    Section.closeFigure(
        out,
        List.of("most", "mean"),
        List.of(List.of("" + most, Human.number(report.metrics().meanConcurrency()))));
  }

  private void writeFirstTokens() {
    final int every = Math.max(1, records.size() / MOST_POINTS);
    final List<double[]> points = new ArrayList<>();
    for (int i = 0; i < records.size(); i += every) {
      final RequestTiming at = records.get(i).exchange().at();
      final long ttftNs = at.durationNs(TimingStage.ARRIVED, TimingStage.CLIENT_FIRST);
      if (ttftNs != ABSENT) {
        points.add(new double[] {(double) since(at.ns(TimingStage.ARRIVED)), (double) ttftNs});
      }
    }
    if (points.isEmpty()) {
      return;
    }
    Section.openFigure(
        out, "First tokens", "From arrival to the first token, over the time of arrival.", "");
    final double high = Arrays.stream(column(points, 1)).max().orElse(1);
    final Plot plot =
        new Plot(
            out,
            WIDE,
            260,
            Axis.time("arrival", 0, endNs, 10),
            Axis.fromZero("first token", high, 5, Human::mark));
    plot.open("Time to first token of each request over its arrival.");
    plot.dots(column(points, 0), column(points, 1), "dots " + FIRST);
    plot.close();
    Section.closeFigure(
        out,
        List.of("p50", "p99"),
        List.of(
            List.of(
                ms(report.metrics().of(Latency.TTFT).median()),
                ms(report.metrics().of(Latency.TTFT).percentile(99)))));
  }

  private static double[] column(List<double[]> points, int index) {
    return points.stream().mapToDouble(point -> point[index]).toArray();
  }

  private void writeDistribution(Latency latency) {
    final SortedSample of = report.metrics().of(latency);
    if (of.count() == 0) {
      return;
    }
    Section.openFigure(out, latency.title(), "Share of the values that are no greater.", "halfbox");
    final Plot plot =
        new Plot(
            out,
            540,
            280,
            Axis.fromZero(
                latency.shortTitle(), Math.max(1, of.max() * NS_PER_SECOND), 5, Human::mark),
            Axis.linear("share", 0, 1, 5, share -> Math.round(100 * share) + " %"));
    plot.open("Cumulative distribution: " + latency.title());
    final int steps = 200;
    final double[] xs = new double[steps + 1];
    final double[] ys = new double[steps + 1];
    for (int i = 0; i <= steps; i++) {
      ys[i] = (double) i / steps;
      xs[i] = of.percentile(100 * ys[i]) * NS_PER_SECOND;
    }
    plot.line(xs, ys, "line " + FIRST);
    plot.close();
    Section.closeFigure(
        out,
        List.of("mean", "p50", "p90", "p99", "values"),
        List.of(
            List.of(
                ms(of.mean()),
                ms(of.median()),
                ms(of.percentile(90)),
                ms(of.percentile(99)),
                Human.count(of.count()))));
  }
}
