package dev.headway.toolbox.output;

import java.util.Set;

/**
 * The names of all files and directories that Headway leaves at the top of an output directory,
 * whichever part of it made them: what one command writes, another may replace. Stateless.
 */
public final class KnownOutputs {

  private static final Set<String> NAMES =
      Set.of(
          // a run, simulated or replayed; behind a router
          "journal",
          "csv",
          "requests.csv",
          "summary.json",
          "router_decisions.csv",
          // a conversion
          "per_request.csv",
          "per_iteration.csv",
          "per_iteration_requests.csv",
          "state_transitions.csv",
          "events.csv",
          "manifest.json",
          "manifest.json.tmp",
          // training rows
          "alpha.csv",
          "beta.csv",
          "egress.csv",
          // comparisons of policies and of routers
          "policies.csv",
          "cost.csv",
          "compare.json",
          "study.csv",
          "study.html",
          // a measured load
          "result.json",
          "timeline.html",
          "node_requests.csv",
          "router_requests.csv",
          "runs",
          "runs.csv",
          "capacity.json",
          // a sweep
          "rows.csv",
          "rows.csv.part",
          "rows.parquet",
          "capacity.csv",
          "plan.yaml",
          "manifest.json.new");

  private KnownOutputs() {}

  /** Whether something of this name at the top of a directory is an output of Headway's. */
  public static boolean contains(String name) {
    return NAMES.contains(name);
  }
}
