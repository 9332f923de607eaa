package dev.headway.report.analyze;

import dev.headway.toolbox.text.JsonText;
import org.jspecify.annotations.Nullable;

/** The same for programs: one line of JSON; an absent figure is null. */
public final class AnalysisJson {

  private AnalysisJson() {}

  /** An analysis, and a comparison if there is one. */
  public static String of(Analysis analysis, @Nullable Analysis other, @Nullable Comparison rows) {
    final JsonText json = new JsonText().begin();
    json.number("schema", 1);
    analysis(json, "analysis", analysis);
    if (other != null) {
      analysis(json, "compared", other);
    }
    if (rows != null) {
      comparison(json, rows);
    }
    return json.end();
  }

  private static void analysis(JsonText json, String name, Analysis analysis) {
    json.beginObject(name)
        .number("steps", analysis.steps())
        .number("runs", analysis.runs())
        .number("warm_up_steps", analysis.warmUps())
        .number("outlier_steps", analysis.outliers())
        .beginList("figures");
    for (Figure figure : analysis.figures()) {
      json.beginObjectItem()
          .text("name", figure.name())
          .text("unit", figure.unit())
          .decimal("all", figure.all())
          .decimal("steady", figure.steady())
          .endObject();
    }
    json.endList().beginList("suspects");
    for (Suspect each : analysis.suspects()) {
      json.beginObjectItem()
          .number("step", each.step())
          .decimal("at_seconds", each.atSeconds())
          .decimal("schedule_ms", each.scheduleMs())
          .decimal("times_median", each.times())
          .decimal("model_run_ms", each.runMs())
          .decimal("requests", each.requests())
          .decimal("tokens", each.tokens())
          .decimal("waiting", each.waiting())
          .decimal("preempted", each.preempted())
          .endObject();
    }
    json.endList().beginList("trends");
    for (Trend each : analysis.trends()) {
      json.beginObjectItem()
          .text("name", each.name())
          .decimal("mean", each.mean())
          .decimal("per_minute", each.perMinute())
          .decimal("per_minute_low", each.low())
          .decimal("per_minute_high", each.high())
          .decimal("limit", each.limit())
          .decimal("minutes_to_limit", each.minutesToLimit())
          .endObject();
    }
    json.endList().beginList("explanations");
    analysis.explanations().forEach(json::textItem);
    json.endList().endObject();
  }

  private static void comparison(JsonText json, Comparison comparison) {
    json.beginList("comparison");
    for (Comparison.Row row : comparison.rows()) {
      json.beginObjectItem()
          .text("name", row.name())
          .text("unit", row.unit())
          .decimal("a", row.first())
          .decimal("b", row.second())
          .decimal("change_percent", row.changePercent())
          .decimal("difference_low", row.low())
          .decimal("difference_high", row.high())
          .flag("significant", row.isSignificant())
          .endObject();
    }
    json.endList();
  }
}
