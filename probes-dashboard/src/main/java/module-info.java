/** A page that shows a running engine, and a log of its slow requests. */
module dev.headway.probes.dashboard {
  requires transitive dev.headway.api;
  requires transitive dev.headway.events;
  requires transitive jdk.httpserver;
  requires dev.headway.toolbox;
  requires static org.jspecify;
  requires org.slf4j;
  requires tools.jackson.core;

  exports dev.headway.probes.dashboard.page;
  exports dev.headway.probes.dashboard.state;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.probes.dashboard.probe.DashboardProbeProvider,
      dev.headway.probes.dashboard.probe.SlowRequestsProbeProvider;
}
