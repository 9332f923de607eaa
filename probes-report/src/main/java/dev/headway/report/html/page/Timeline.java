package dev.headway.report.html.page;

import dev.headway.events.model.Cause;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.report.html.figures.StepSeries.OverTime;
import dev.headway.toolbox.chart.Axis;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.FoldingTable;
import dev.headway.toolbox.stats.SpreadTable;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JsonGenerator;

/** What happened when: panels with one axis of time. */
final class Timeline {

  private static final int GAP_BUCKETS = 3;

  private final ReportFigures run;
  private final ReasonColors colors;
  private final FoldingTable steps;
  private final double[] bucketOf;
  private final double[] xs;
  private final List<Panel> panels = new ArrayList<>();

  Timeline(ReportFigures run, ReasonColors colors) {
    this.run = run;
    this.colors = colors;
    this.steps = run.steps().overTime();
    this.bucketOf = pointsOf(steps);
    this.xs = Arrays.stream(bucketOf).map(at -> (Math.abs(at) + 0.5) * steps.width()).toArray();
    if (run.steps().steps() > 0) {
      addPanels();
    }
  }

  void write(Markup out) {
    Section.open(out, "timeline", "Time line");
    if (panels.isEmpty()) {
      Section.note(out, "The journal holds no steps.");
      Section.close(out);
      return;
    }
    Section.note(
        out,
        "Each point is the steps planned within "
            + Human.duration(steps.width())
            + ": the line is their mean, a band reaches from the least to the largest. Gaps are"
            + " times without steps.");
    out.open("p", "class", "zoomhelp")
        .text("Drag over a picture to zoom all of them, the lives of requests included. ")
        .element("button", "Show all", "type", "button", "id", "zoom-out")
        .close("p");
    final Axis x = axis();
    for (int i = 0; i < panels.size(); i++) {
      panels.get(i).write(out, x, Integer.toString(i));
    }
    Section.close(out);
  }

  /** The common axis of time. */
  Axis axis() {
    return Axis.time("time since the start of the run", 0, endNs(), 9);
  }

  double endNs() {
    return Math.max(run.facts().lastNs(), 1);
  }

  /** Writes the data of the panels for the script. */
  void write(JsonGenerator json) {
    json.writeStartObject();
    json.writeNumberProperty("end", endNs() / 1e9);
    json.writeArrayPropertyStart("panels");
    panels.forEach(panel -> panel.write(json));
    json.writeEndArray().writeEndObject();
  }

  /** Waiting requests by reason, over time. */
  Panel waitingPanel() {
    final SpreadTable waits = run.waits().overTime();
    final double[] times = new double[waits.used()];
    Arrays.setAll(times, i -> (i + 0.5) * waits.width());
    final List<String> names = colors.names();
    final double[][] stacks = new double[names.size()][times.length];
    for (Cause cause : run.waits().causes()) {
      final boolean hasTime = colors.indexOf(cause) < stacks.length;
      if (hasTime && cause.index() < waits.columns()) {
        final double[] stack = stacks[colors.indexOf(cause)];
        Arrays.setAll(stack, i -> stack[i] + waits.mean(cause.index(), i));
      }
    }
    final Panel panel =
        new Panel(
            "Requests waiting, by what they wait for",
            "Mean number over " + Human.duration(waits.width()) + ".",
            Panel.Unit.REQUESTS,
            true,
            times);
    for (int i = 0; i < names.size(); i++) {
      panel.add(names.get(i), colors.styles().get(i), stacks[i]);
    }
    return panel;
  }

  private void addPanels() {
    final Panel tokens =
        new Panel("Tokens per step, of prompts", "Decode is below.", Panel.Unit.TOKENS, true, xs)
            .add("prefill", "p-prefill", means(OverTime.PREFILL_TOKENS))
            .add("recomputed", "p-recompute", means(OverTime.RECOMPUTED_TOKENS));
    final String budget = run.header().config().get("maxNumBatchedTokens");
    if (budget != null && budget.matches("[0-9]{1,9}")) {
      tokens.reference("budget " + budget, Integer.parseInt(budget));
    }
    panels.add(tokens);
    panels.add(
        new Panel(
                "Tokens per step, of decode",
                "On a scale of its own: a step has few of them beside those of prompts.",
                Panel.Unit.TOKENS,
                true,
                xs)
            .add("decode", "p-decode", means(OverTime.DECODE_TOKENS)));
    panels.add(
        banded("Requests running", "After each decision.", Panel.Unit.REQUESTS, OverTime.RUNNING));
    final Panel waiting = waitingPanel();
    if (!waiting.isEmpty()) {
      panels.add(waiting);
    }
    panels.add(kvPanel());
    panels.add(durationPanel());
    panels.add(
        new Panel(
                "Admissions and preemptions",
                "Number within " + Human.duration(steps.width()) + ".",
                Panel.Unit.REQUESTS,
                false,
                xs)
            .add("admitted", "p-decode", sums(OverTime.ADMITTED))
            .add("preempted", "p-recompute", sums(OverTime.PREEMPTED)));
  }

  private Panel banded(String title, String caption, Panel.Unit unit, OverTime column) {
    return new Panel(title, caption, unit, false, xs)
        .add(
            "running",
            "p-prefill",
            means(column),
            at(column, steps::min, 1),
            at(column, steps::max, 1));
  }

  private Panel kvPanel() {
    final double blocks = Math.max(1, run.steps().usableBlocks()) / 100.0;
    return new Panel(
            "KV cache in use",
            "Blocks not free after each decision, of "
                + Human.count(run.steps().usableBlocks())
                + " in all.",
            Panel.Unit.SHARE,
            false,
            xs)
        .add(
            "in use",
            "p-kv",
            Arrays.stream(means(OverTime.KV_USED)).map(used -> used / blocks).toArray(),
            at(OverTime.KV_USED, steps::min, blocks),
            at(OverTime.KV_USED, steps::max, blocks));
  }

  private Panel durationPanel() {
    final Panel panel =
        new Panel("Step duration", "Where the time of a step goes.", Panel.Unit.TIME, true, xs);
    addPart(panel, "schedule", "w1", OverTime.SCHEDULE_NS);
    addPart(panel, "prepare", "w3", OverTime.PREPARE_NS);
    addPart(panel, "forward", "p-prefill", OverTime.FORWARD_NS);
    addPart(panel, "sample", "p-decode", OverTime.SAMPLE_NS);
    addPart(panel, "update", "w4", OverTime.UPDATE_NS);
    return panel;
  }

  private void addPart(Panel panel, String name, String style, OverTime column) {
    final double[] values = means(column);
    if (Arrays.stream(values).anyMatch(value -> value > 0)) {
      panel.add(
          name,
          style,
          Arrays.stream(values).map(value -> Double.isNaN(value) ? 0 : value).toArray());
    }
  }

  private double[] means(OverTime column) {
    return Arrays.stream(bucketOf)
        .map(bucket -> bucket < 0 ? Double.NaN : steps.mean(column.column(), (int) bucket))
        .toArray();
  }

  private double[] sums(OverTime column) {
    return Arrays.stream(bucketOf)
        .map(bucket -> bucket < 0 ? 0 : steps.sum(column.column(), (int) bucket))
        .toArray();
  }

  private double[] at(OverTime column, Extreme extreme, double divisor) {
    return Arrays.stream(bucketOf)
        .map(
            bucket -> bucket < 0 ? Double.NaN : extreme.of(column.column(), (int) bucket) / divisor)
        .toArray();
  }

  private interface Extreme {
    long of(int column, int bucket);
  }

  /**
   * The buckets that hold steps; where many in a row hold none, the negative of one of them marks
   * the gap. Single empty buckets are left out: they are shorter than a step.
   */
  private static double[] pointsOf(FoldingTable table) {
    final int column = OverTime.RUNNING.column();
    final List<Double> points = new ArrayList<>();
    final int used = table.used();
    int filled = 0;
    long held = 0;
    for (int bucket = 0; bucket < used; bucket++) {
      filled += table.count(column, bucket) > 0 ? 1 : 0;
      held += table.count(column, bucket);
    }
    final boolean dense = filled > 0 && held >= 2L * filled;
    int empty = 0;
    for (int bucket = 0; bucket < used; bucket++) {
      if (table.count(column, bucket) > 0) {
        points.add((double) bucket);
        empty = 0;
      } else if (++empty == GAP_BUCKETS && dense) {
        points.add((double) -bucket);
      }
    }
    return points.stream().mapToDouble(Double::doubleValue).toArray();
  }
}
