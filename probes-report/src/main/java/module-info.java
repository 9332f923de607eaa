/**
 * Pages, explanations and traces of a journal, and the profile of a run.
 *
 * <p>Packages that are not exported are those of Headway's programs, on the class path.
 */
module dev.headway.report {
  requires transitive dev.headway.api;
  requires transitive dev.headway.events;
  requires transitive dev.headway.probes.chronicle;
  requires com.google.common;
  requires dev.headway.toolbox;
  requires static org.jspecify;
  requires org.slf4j;
  requires tools.jackson.core;
  requires tools.jackson.databind;

  exports dev.headway.report.explain;
  exports dev.headway.report.trace;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.report.profile.ProfileProbeProvider;
}
