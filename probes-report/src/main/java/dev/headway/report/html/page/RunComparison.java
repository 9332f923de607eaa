package dev.headway.report.html.page;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.events.model.Cause;
import dev.headway.report.html.figures.ReportFigures;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.stats.MovingBlockBootstrap;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Two runs side by side. */
final class RunComparison {

  private static final double NS_PER_S = 1e9;
  private static final int FEWEST = 30;
  private static final double LEAST_CHANGE = 0.0005; // what rounds to 0.1 %
  private static final int[] PERCENTS = {50, 99};

  private final Markup out;
  private final ReportFigures a;
  private final ReportFigures b;

  RunComparison(Markup out, ReportFigures a, ReportFigures b) {
    this.out = out;
    this.a = a;
    this.b = b;
  }

  void write(String nameA, String nameB) {
    Section.open(out, "compare", "Compared with another run");
    out.open("p")
        .text("This run: ")
        .element("b", nameA)
        .text(". Compared run: ")
        .element("b", nameB)
        .text(".")
        .close("p");
    writeSettings();
    writeTimes();
    writeTotals();
    writeWaits();
    out.open("div", "class", "pair");
    final Latencies cdfs = new Latencies(out);
    final long ttftNs = a.goodput().commonTtftNs();
    cdfs.writeCdf(
        "TTFT of both",
        "",
        a.latencies().all().ttft(),
        b.latencies().all().ttft(),
        ttftNs == b.goodput().commonTtftNs() ? ttftNs : ABSENT);
    cdfs.writeCdf(
        "E2E of both",
        "",
        a.latencies().all().endToEnd(),
        b.latencies().all().endToEnd(),
        a.goodput().slo().endToEndNs());
    out.close("div");
    Section.close(out);
  }

  private void writeSettings() {
    final Map<String, String> settingsA = settings(a);
    final Map<String, String> settingsB = settings(b);
    final Set<String> names = new LinkedHashSet<>(settingsA.keySet());
    names.addAll(settingsB.keySet());
    final List<List<String>> rows = new ArrayList<>();
    for (String name : names) {
      if (!Objects.equals(settingsA.get(name), settingsB.get(name))) {
        rows.add(
            List.of(
                name,
                settingsA.getOrDefault(name, Human.UNKNOWN),
                settingsB.getOrDefault(name, Human.UNKNOWN)));
      }
    }
    out.element("h3", "What was set differently");
    if (rows.isEmpty()) {
      Section.note(out, "Nothing that the journals know of.");
    } else {
      Section.table(out, List.of("setting", "this run", "compared run"), rows);
    }
  }

  private static Map<String, String> settings(ReportFigures run) {
    final Map<String, String> all = new LinkedHashMap<>(run.header().config());
    all.putAll(run.header().attributes());
    all.put("KV blocks", Human.count(run.header().numBlocks()));
    all.put("tokens per block", Human.count(run.header().blockSize()));
    return all;
  }

  private void writeTimes() {
    out.element("h3", "Times");
    Section.note(
        out,
        "Difference: compared run − this run, with its 95 % bootstrap interval (blocks of neighbours"
            + " are drawn, since requests that meet in a queue are not independent). Significant:"
            + " the interval leaves out 0. It judges these two runs, not what another load would"
            + " do.");
    final List<List<String>> rows = new ArrayList<>();
    final Map<String, double[]> samplesB = b.latencies().ordered();
    final Map<String, Distribution> wholeA = a.latencies().whole();
    final Map<String, Distribution> wholeB = b.latencies().whole();
    a.latencies()
        .ordered()
        .forEach(
            (name, sample) ->
                addAll(
                    rows,
                    name,
                    new Compared(wholeA.get(name), sample),
                    new Compared(wholeB.get(name), samplesB.get(name))));
    addAll(
        rows,
        "Step",
        new Compared(a.steps().duration(), a.steps().orderedDurations()),
        new Compared(b.steps().duration(), b.steps().orderedDurations()));
    Section.table(
        out,
        List.of(
            "",
            "this run",
            "compared run",
            "difference",
            "95 % interval",
            "change",
            "significant?"),
        rows);
  }

  /** All values of a run, for the figures, and some in their order, for the interval. */
  private static final class Compared {

    private final @Nullable Distribution whole;
    private final double @Nullable [] sample;

    Compared(@Nullable Distribution whole, double @Nullable [] sample) {
      this.whole = whole;
      this.sample = sample;
    }
  }

  private static void addAll(List<List<String>> rows, String name, Compared a, Compared b) {
    if (a.whole == null
        || b.whole == null
        || a.sample == null
        || b.sample == null
        || a.sample.length < FEWEST
        || b.sample.length < FEWEST) {
      rows.add(List.of(name, "–", "–", "–", "too few values", "–", "–"));
      return;
    }
    final double[] of = a.sample;
    final double[] other = b.sample;
    add(
        rows,
        name + ", mean",
        a.whole.mean(),
        b.whole.mean(),
        MovingBlockBootstrap.difference(of, other, MovingBlockBootstrap.mean()));
    for (int percent : PERCENTS) {
      final double q = percent / 100.0;
      add(
          rows,
          name + ", p" + percent,
          a.whole.quantile(q),
          b.whole.quantile(q),
          MovingBlockBootstrap.difference(of, other, MovingBlockBootstrap.quantile(q)));
    }
  }

  private static void add(
      List<List<String>> rows,
      String name,
      double a,
      double b,
      MovingBlockBootstrap.Interval interval) {
    final double difference = b - a;
    rows.add(
        List.of(
            name,
            Human.duration(a),
            Human.duration(b),
            signed(difference),
            signed(interval.low()) + " … " + signed(interval.high()),
            change(a, b),
            !interval.isSignificant() ? "no" : difference < 0 ? "yes: shorter" : "yes: longer"));
  }

  private void writeTotals() {
    out.element("h3", "Totals");
    Section.note(out, "One figure per run: there is no interval.");
    final List<List<String>> rows = new ArrayList<>();
    total(rows, "Requests ended", run -> run.facts().ended());
    total(rows, "Requests rejected", run -> run.facts().rejected());
    total(rows, "Steps", run -> run.steps().steps());
    total(rows, "Preemptions", run -> run.steps().preemptions());
    total(rows, "Tokens computed again", run -> run.steps().recomputedTokens());
    total(rows, "Output tokens per second", run -> perSecond(run, run.steps().outputTokens()));
    total(rows, "Requests ended per second", run -> perSecond(run, run.facts().ended()));
    if (a.goodput().judged() + b.goodput().judged() > 0) {
      total(rows, "Goodput: requests per second", run -> perSecond(run, run.goodput().met()));
      total(rows, "Goodput: share of requests, %", run -> 100 * run.goodput().share());
    }
    total(rows, "KV cache in use, mean of the steps %", run -> 100 * run.steps().meanKvShare());
    total(rows, "Prefix cache: prompt tokens found, %", run -> 100 * run.kv().hitShare());
    Section.table(out, List.of("", "this run", "compared run", "change"), rows);
  }

  private void total(List<List<String>> rows, String name, ToDoubleFunction<ReportFigures> figure) {
    final double of = figure.applyAsDouble(a);
    final double other = figure.applyAsDouble(b);
    rows.add(List.of(name, Human.number(of), Human.number(other), change(of, other)));
  }

  private void writeWaits() {
    out.element("h3", "What requests waited for");
    final Map<String, Long> byA = byRoot(a);
    final Map<String, Long> byB = byRoot(b);
    final Set<String> names = new LinkedHashSet<>(byA.keySet());
    names.addAll(byB.keySet());
    final List<List<String>> rows = new ArrayList<>();
    for (String name : names) {
      final long waitedA = byA.getOrDefault(name, 0L);
      final long waitedB = byB.getOrDefault(name, 0L);
      rows.add(
          List.of(
              name,
              Human.duration(waitedA),
              share(waitedA, a),
              Human.duration(waitedB),
              share(waitedB, b)));
    }
    Section.table(
        out, List.of("reason in front", "this run", "share", "compared run", "share"), rows);
  }

  private static Map<String, Long> byRoot(ReportFigures run) {
    return run.waits().by(Cause::root).stream()
        .collect(
            Collectors.toMap(
                Map.Entry::getKey, Map.Entry::getValue, Long::sum, LinkedHashMap::new));
  }

  private static String share(long ns, ReportFigures run) {
    return Human.percent((double) ns / Math.max(1, run.waits().totalNs()));
  }

  private static double perSecond(ReportFigures run, long count) {
    return run.steps().spanNs() == 0 ? Double.NaN : count * NS_PER_S / run.steps().spanNs();
  }

  private static String signed(double ns) {
    return (ns > 0 ? "+" : "") + Human.duration(ns);
  }

  private static String change(double from, double to) {
    if (from == 0 || Double.isNaN(from) || Double.isNaN(to)) {
      return Human.UNKNOWN;
    }
    final double change = to / from - 1;
    if (Math.abs(change) < LEAST_CHANGE) {
      return "0.0 %";
    }
    return (change > 0 ? "+" : change < 0 ? "−" : "") + Human.percent(Math.abs(change));
  }
}
