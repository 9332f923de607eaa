package dev.headway.report.html.page;

import dev.headway.report.analyze.Analysis;
import dev.headway.report.analyze.AnalysisText;
import dev.headway.report.analyze.StepTable;
import dev.headway.report.analyze.Suspect;
import dev.headway.report.analyze.Trend;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.html.StaticPage;
import dev.headway.toolbox.stats.Distribution;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A profile as a page: its six plots, chunk sizes, suspicious steps, trends. Stateless. */
public final class ProfilePage {

  private ProfilePage() {}

  /**
   * Renders the page.
   *
   * @param name of the profile
   * @param table its steps
   * @param analysis of the same
   */
  public static String render(String name, StepTable table, Analysis analysis) {
    final Map<String, String> sections = new LinkedHashMap<>();
    sections.put("profile", "Scheduling profile");
    sections.put("chunks", "Chunk sizes");
    sections.put("suspects", "Suspicious steps");
    sections.put("trends", "Trends");
    sections.put("figures", "Figures");
    return StaticPage.render(
        "scheduling profile",
        name
            + ": "
            + Human.count(analysis.steps())
            + " steps in "
            + Human.count(analysis.runs())
            + (analysis.runs() == 1 ? " run" : " runs"),
        sections,
        out -> {
          new SixPlots(out, table.plotted(), "").write();
          chunks(out, table.prefillChunks());
          suspects(out, analysis.suspects());
          trends(out, analysis.trends());
          figures(out, analysis);
        });
  }

  private static void chunks(Markup out, Distribution sizes) {
    Section.open(out, "chunks", "Chunk sizes");
    if (sizes.isEmpty()) {
      Section.note(out, "The profile names no prefill chunk.");
      Section.close(out);
      return;
    }
    out.open("div", "class", "pair");
    Section.openFigure(
        out,
        "Prefill chunks",
        "Tokens of a request that is not decoding, in a step; " + Human.count(sizes.count()) + ".",
        "halfbox");
    new HistogramFigure("tokens", "chunks", "p-prefill", Human::compact, Human::number)
        .write(out, sizes, "Histogram of the tokens of prefill chunks.");
    out.close("div");
    Section.close(out);
  }

  private static void suspects(Markup out, List<Suspect> suspects) {
    Section.open(out, "suspects", "Suspicious steps");
    if (suspects.isEmpty()) {
      Section.note(out, "No step was scheduled for far longer than the median of steps like it.");
      Section.close(out);
      return;
    }
    Section.note(
        out,
        "Scheduling took more than the median and 8 median absolute deviations of steps like it,"
            + " with prompts or without, and twice the median at least. A pause of the garbage"
            + " collector or of the machine looks like that; so does an order or a gate that"
            + " examines much at once.");
    final List<List<String>> rows = new ArrayList<>();
    for (Suspect each : suspects) {
      rows.add(
          List.of(
              Human.count(each.step()),
              AnalysisText.number(each.atSeconds()),
              AnalysisText.number(each.scheduleMs()),
              String.format(Locale.ROOT, "%.1f", each.times()),
              AnalysisText.number(each.runMs()),
              AnalysisText.number(each.requests()),
              AnalysisText.number(each.tokens()),
              AnalysisText.number(each.waiting()),
              AnalysisText.number(each.preempted())));
    }
    Section.table(
        out,
        List.of(
            "step",
            "at, s",
            "schedule, ms",
            "times the median",
            "model run, ms",
            "requests",
            "tokens",
            "waiting",
            "preempted"),
        rows);
    Section.close(out);
  }

  private static void trends(Markup out, List<Trend> trends) {
    Section.open(out, "trends", "Trends");
    if (trends.isEmpty()) {
      Section.note(out, "A trend needs one run of 100 steps or more.");
      Section.close(out);
      return;
    }
    Section.note(
        out,
        "Lines through the means over twenty equal spans of the profile. They say where figures go"
            + " if they go on like this, and nothing of hours that the profile does not show.");
    final List<List<String>> rows = new ArrayList<>();
    for (Trend each : trends) {
      rows.add(
          List.of(
              each.name(),
              AnalysisText.number(each.mean()),
              AnalysisText.number(each.perMinute()),
              "[" + AnalysisText.number(each.low()) + ", " + AnalysisText.number(each.high()) + "]",
              each.isSignificant() ? "yes" : "no",
              Double.isNaN(each.minutesToLimit())
                  ? "-"
                  : AnalysisText.number(each.minutesToLimit()) + " min"));
    }
    Section.table(
        out,
        List.of("figure", "mean", "per minute", "95 % interval", "significant", "full in"),
        rows);
    Section.close(out);
  }

  private static void figures(Markup out, Analysis analysis) {
    Section.open(out, "figures", "Figures");
    final List<List<String>> rows = new ArrayList<>();
    analysis
        .figures()
        .forEach(
            figure ->
                rows.add(
                    List.of(
                        figure.name(),
                        AnalysisText.number(figure.all()),
                        AnalysisText.number(figure.steady()),
                        figure.unit())));
    Section.table(out, List.of("figure", "all", "steady", "unit"), rows);
    analysis.explanations().forEach(each -> Section.note(out, each));
    Section.close(out);
  }
}
