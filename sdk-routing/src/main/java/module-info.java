/**
 * Chooses one of several engines for a request, by what their KV events and their loads say.
 *
 * <p>Packages that are not exported are those of Headway's programs, on the class path.
 */
@SuppressWarnings("requires-automatic") // MessagePack has no module name but that of its file
module dev.headway.routing {
  requires transitive dev.headway.api;
  requires dev.headway.toolbox;
  requires msgpack.core;
  requires org.apache.commons.csv;
  requires static org.jspecify;
  requires static org.junit.jupiter.api;
  requires org.zeromq.jeromq;
  requires tools.jackson.databind;

  exports dev.headway.routing.core;
  exports dev.headway.routing.kvevents;
  exports dev.headway.routing.kvevents.codec;
  exports dev.headway.routing.policy;
  exports dev.headway.routing.policy.builtin;
  exports dev.headway.routing.testkit;

  opens dev.headway.routing.testkit to
      org.junit.platform.commons;

  uses dev.headway.routing.policy.RoutingPolicyProvider;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.routing.kvevents.KvEventsProbeProvider;
}
