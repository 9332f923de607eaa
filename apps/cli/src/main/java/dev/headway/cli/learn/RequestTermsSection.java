package dev.headway.cli.learn;

import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.fit.QueueingFit;
import dev.headway.simulation.fit.RequestTimeFit;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.toolbox.html.Markup;
import dev.headway.toolbox.html.Section;
import dev.headway.toolbox.text.Human;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a fit says of requests, as sections of its page. Stateless. */
final class RequestTermsSection {

  private static final String HELD = "held out (later)";

  private RequestTermsSection() {}

  static void write(Markup out, QueueingFit queueing) {
    Section.open(out, "queueing", "Queueing");
    Section.note(
        out,
        "The wait in the queue by what a request finds at arrival: to predict a wait, never"
            + " for a simulation, whose queue makes its own.");
    writeQuality(
        out,
        List.of(
            row(HELD, queueing.queueWait().quality()),
            row("tokens ahead × rate", queueing.baseline())));
    writeCoefficients(out, queueing.queueWait().coefficients());
    Section.close(out);
  }

  static void write(Markup out, RequestTimeFit requests) {
    Section.open(out, "requests", "Requests");
    Section.note(
        out,
        "What "
            + Human.count(requests.requests())
            + " measured requests took as their client saw them, by what it knew when it sent them;"
            + " never for a simulation. Rows left out: "
            + requests.omitted()
            + ".");
    final List<List<String>> rows = new ArrayList<>();
    rows.add(row("first token, " + HELD, requests.firstToken().quality()));
    if (requests.furtherToken().isFitted()) {
      rows.add(row("further token, " + HELD, requests.furtherToken().quality()));
      rows.add(row("end to end, " + HELD, requests.endToEnd()));
    }
    writeQuality(out, rows);
    out.element("h3", "first token, in ns");
    writeCoefficients(out, requests.firstToken().coefficients());
    if (requests.furtherToken().isFitted()) {
      out.element("h3", "further token, in ns");
      writeCoefficients(out, requests.furtherToken().coefficients());
    }
    Section.close(out);
  }

  private static void writeQuality(Markup out, List<List<String>> rows) {
    Section.table(out, List.of("", "requests", "R²", "mean error", "rank correlation"), rows);
  }

  private static List<String> row(String name, Quality quality) {
    return List.of(
        name,
        Human.count(quality.requests()),
        FitPage.fixed(quality.r2(), 3),
        Human.duration(quality.meanAbsoluteNs()),
        FitPage.fixed(quality.rankCorrelation(), 3));
  }

  private static void writeCoefficients(Markup out, List<Coefficient> coefficients) {
    final List<List<String>> rows = new ArrayList<>();
    for (Coefficient coefficient : coefficients) {
      rows.add(
          List.of(
              coefficient.feature().name(),
              String.format(Locale.ROOT, "%.5g", coefficient.value()).replace("-", "−"),
              coefficient.status().label(),
              coefficient.feature().unit().isEmpty()
                  ? ""
                  : "ns per " + coefficient.feature().unit()));
    }
    Section.table(out, List.of("term", "coefficient", "status", "unit"), rows);
  }
}
