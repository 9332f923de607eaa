package dev.headway.report.html.page;

import dev.headway.report.html.figures.QueueFigures;
import dev.headway.report.html.figures.QueueTrace;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.chart.Plot;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Whether the queue moved, and whether requests with few ahead waited little. */
final class QueuePositions {

  private static final int WIDTH = 540;
  private static final int HEIGHT = 260;
  private static final int HEXAGONS_ABOVE = 1_000;
  private static final double[] QUANTILES = {0.5, 0.9, 0.95, 0.99, 1};
  private static final List<String> STYLES =
      List.of("p-prefill", "p-decode", "w1", "w2", "w4", "w5");

  private QueuePositions() {}

  static void write(Markup out, ReportFigures run) {
    final QueueFigures queue = run.queue();
    final List<QueueTrace> longest = queue.longest();
    if (longest.isEmpty() || longest.get(0).lengthNs() == 0) {
      return;
    }
    out.element("h3", "Positions in the queue");
    Section.note(
        out,
        "Ahead of a request is each that came earlier and waits, whatever the policy takes first."
            + " A line that falls steadily is a queue that moves; a level one with later requests"
            + " admitted before it is starvation; one that rises had preempted requests return."
            + followedText(queue));
    out.open("div", "class", "pair");
    writeTraces(out, longest);
    writeScatter(out, queue);
    out.close("div");
  }

  private static String followedText(QueueFigures queue) {
    return queue.notFollowed() == 0
        ? ""
        : " At most 256 waiting requests are followed at a time: "
            + Human.count(queue.notFollowed())
            + " of "
            + Human.count(queue.ahead().count())
            + " came when that many were, so longer waits than these may exist. The picture of"
            + " all is the one by arrival.";
  }

  private static void writeTraces(Markup out, List<QueueTrace> longest) {
    Section.openFigure(
        out,
        "Requests ahead, from queueing on",
        "The " + Human.count(longest.size()) + " longest waits followed, to the first admission.",
        "halfbox");
    Section.legend(
        out, longest.stream().map(QueueTrace::id).toList(), STYLES.subList(0, longest.size()));
    final double longestNs = longest.stream().mapToDouble(QueueTrace::lengthNs).max().orElse(0);
    final double most =
        longest.stream().flatMapToDouble(trace -> Arrays.stream(trace.positions())).max().orElse(0);
    final Plot plot =
        new Plot(
            out,
            WIDTH,
            HEIGHT,
            Axis.time("time since it was queued", 0, longestNs, 4),
            Axis.countsFromZero("requests ahead", most, 5, Human::compact));
    plot.open("Requests ahead of those that waited longest. The table below has the figures.");
    final List<List<String>> rows = new ArrayList<>();
    for (int i = 0; i < longest.size(); i++) {
      final QueueTrace trace = longest.get(i);
      final double[] positions = trace.positions();
      final double[] ages =
          Arrays.stream(trace.times()).map(time -> time - trace.fromNs()).toArray();
      plot.stair(ages, positions, "line " + STYLES.get(i));
      rows.add(
          List.of(
              trace.id(),
              trace.tenant() == null ? "" : trace.tenant(),
              Integer.toString(trace.priority()),
              Human.duration(trace.fromNs()),
              Human.duration(trace.lengthNs()),
              Human.count(trace.atArrival()),
              Human.count((long) positions[positions.length - 1]),
              Human.count(trace.overtakenBy())));
    }
    plot.close();
    Section.closeFigure(
        out,
        List.of(
            "request",
            "tenant",
            "priority",
            "queued at",
            "waited",
            "ahead at arrival",
            "ahead at the end",
            "later ones admitted before it"),
        rows);
  }

  private static void writeScatter(Markup out, QueueFigures queue) {
    final double[][] rows = queue.waits().rows();
    final double[] ahead = Arrays.stream(rows).mapToDouble(row -> row[0]).toArray();
    final double[] waited = Arrays.stream(rows).mapToDouble(row -> row[1]).toArray();
    Section.openFigure(
        out,
        "Ahead at arrival, and the wait",
        Human.count(rows.length)
            + " requests"
            + (queue.waits().isWhole()
                ? "."
                : ", drawn uniformly from " + Human.count(queue.waits().seen()) + "."),
        "halfbox");
    final Plot plot =
        new Plot(
            out,
            WIDTH,
            HEIGHT,
            Axis.countsFromZero(
                "requests waiting at arrival",
                Arrays.stream(ahead).max().orElse(1),
                4,
                Human::compact),
            Axis.fromZero("", Arrays.stream(waited).max().orElse(1), 5, Human::mark));
    plot.open("Waits to the first admission against the requests ahead at arrival.");
    plot.scatter(ahead, waited, HEXAGONS_ABOVE, "dots p-prefill");
    plot.close();
    final Distribution all = queue.ahead();
    final List<List<String>> table = new ArrayList<>();
    for (double quantile : QUANTILES) {
      table.add(List.of(Human.percent(quantile), Human.number(all.quantile(quantile))));
    }
    Section.closeFigure(out, List.of("share of all requests", "ahead at arrival: at most"), table);
  }
}
