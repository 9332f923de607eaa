/** Records of what a scheduler does, and what they say of each request. */
module dev.headway.events {
  requires transitive dev.headway.api;
  requires jdk.jfr;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.headway.events.inprocess;
  exports dev.headway.events.live;
  exports dev.headway.events.model;
  exports dev.headway.events.reason;
  exports dev.headway.events.record;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.events.jfr.JfrProbeProvider;
}
