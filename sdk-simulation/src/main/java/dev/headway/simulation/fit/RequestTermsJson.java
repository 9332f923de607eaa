package dev.headway.simulation.fit;

import dev.headway.simulation.fit.FittedTerm.Quality;
import tools.jackson.databind.node.ObjectNode;

/** The terms of requests in the file of a fit. Stateless. */
final class RequestTermsJson {

  private RequestTermsJson() {}

  /** What a server recorded of its queue. */
  static void put(ObjectNode root, QueueingFit queueing) {
    final ObjectNode ingress = root.putObject("alpha_ingress");
    ingress.put("unit", "ns");
    PerformanceModelFile.put(ingress.putArray("coefficients"), queueing.ingressCoefficients());
    if (!queueing.egressCoefficients().isEmpty()) {
      final ObjectNode egress = root.putObject("alpha_egress");
      egress.put("unit", "ns");
      PerformanceModelFile.put(egress.putArray("coefficients"), queueing.egressCoefficients());
    }
    final ObjectNode wait = root.putObject("alpha_wait");
    wait.put("for", "predictions at arrival; a simulation has a queue of its own");
    put(wait, queueing.queueWait());
  }

  /** What clients measured. */
  static void put(ObjectNode root, RequestTimeFit requests) {
    final ObjectNode measured = root.putObject("measured_requests");
    measured.put("for", "predictions at arrival; a simulation has a queue of its own");
    requests.labels().forEach(measured.putArray("files")::add);
    measured.put("requests", requests.requests());
    measured.put("capped_times", requests.capped());
    final ObjectNode omitted = measured.putObject("rows_left_out");
    requests.omitted().forEach(omitted::put);
    put(measured.putObject("first_token"), requests.firstToken());
    if (requests.furtherToken().isFitted()) {
      put(measured.putObject("further_token"), requests.furtherToken());
      put(measured.putObject("end_to_end"), requests.endToEnd());
    }
  }

  private static void put(ObjectNode node, FittedTerm term) {
    node.put("unit", "ns");
    node.put("form", term.form().label());
    if (term.strength() > 0) {
      node.put("strength", term.strength());
    }
    put(node, term.quality());
    PerformanceModelFile.put(node.putArray("coefficients"), term.coefficients());
  }

  private static void put(ObjectNode node, Quality quality) {
    node.put("requests", quality.requests());
    node.put("r2", quality.r2());
    node.put("mean_absolute_ns", quality.meanAbsoluteNs());
    node.put("rank_correlation", quality.rankCorrelation());
  }
}
