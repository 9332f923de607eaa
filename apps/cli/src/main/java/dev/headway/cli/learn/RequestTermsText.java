package dev.headway.cli.learn;

import dev.headway.simulation.fit.FittedTerm;
import dev.headway.simulation.fit.FittedTerm.Quality;
import dev.headway.simulation.fit.QueueingFit;
import dev.headway.simulation.fit.RequestTimeFit;
import dev.headway.simulation.regression.Coefficient;
import dev.headway.simulation.regression.Coefficient.Status;
import dev.headway.toolbox.text.Human;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a fit says of requests, on a terminal. Stateless. */
final class RequestTermsText {

  private RequestTermsText() {}

  static String of(@Nullable QueueingFit queueing, @Nullable RequestTimeFit requests) {
    final StringBuilder text = new StringBuilder();
    if (queueing != null) {
      append(text, queueing);
    }
    if (requests != null) {
      append(text, requests);
    }
    return text.toString();
  }

  private static void append(StringBuilder text, QueueingFit queueing) {
    text.append(
        "\nalpha_ingress (ns, from arrival to the queue; in a simulation it comes about)\n");
    queueing.ingressCoefficients().forEach(coefficient -> append(text, coefficient));
    if (!queueing.egressCoefficients().isEmpty()) {
      text.append(
          "\nalpha_egress (ns, from the engine to the transport; no part of a simulation)\n");
      queueing.egressCoefficients().forEach(coefficient -> append(text, coefficient));
    }
    append(
        text,
        "alpha_wait (ns, in the queue; for predictions at arrival, never for a simulation)",
        queueing.queueWait());
    append(text, "tokens ahead x rate", queueing.baseline());
    text.append("  never scheduled, left out: ").append(queueing.censored()).append('\n');
  }

  private static void append(StringBuilder text, RequestTimeFit requests) {
    final String omitted =
        requests.omitted().entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", "));
    text.append('\n').append(String.join(", ", requests.labels())).append(": ");
    text.append(Human.count(requests.requests())).append(" requests; left out: ");
    text.append(omitted).append("; capped at 99.9 %: ").append(requests.capped()).append('\n');
    append(text, "first token (ns, from arrival, as the client saw it)", requests.firstToken());
    if (requests.furtherToken().isFitted()) {
      append(text, "further token (ns, mean of a request)", requests.furtherToken());
      text.append("\nend to end (ns, the sum of both)\n");
      append(text, "held out (later)", requests.endToEnd());
    }
  }

  private static void append(StringBuilder text, String name, FittedTerm term) {
    text.append('\n').append(name).append(": ").append(term.form().label());
    text.append(term.strength() > 0 ? ", strength " + term.strength() : "").append('\n');
    appendFitted(text, term.coefficients());
    append(text, "held out (later)", term.quality());
  }

  private static void appendFitted(StringBuilder text, List<Coefficient> coefficients) {
    coefficients.stream()
        .filter(coefficient -> coefficient.status() == Status.FITTED)
        .forEach(coefficient -> append(text, coefficient));
  }

  private static void append(StringBuilder text, Coefficient coefficient) {
    text.append(
        String.format(
            Locale.ROOT,
            FitText.COEFFICIENT,
            coefficient.feature().name(),
            FitText.number(coefficient.value()),
            FitText.interval(coefficient),
            coefficient.feature().unit().isEmpty()
                ? ""
                : "ns per " + coefficient.feature().unit()));
  }

  private static void append(StringBuilder text, String name, Quality quality) {
    text.append(
        String.format(
            Locale.ROOT,
            "  %-22s %7d requests, R2 %.3f, mean error %s, rank correlation %.3f%n",
            name,
            quality.requests(),
            quality.r2(),
            Human.duration(quality.meanAbsoluteNs()),
            quality.rankCorrelation()));
  }
}
