/** The journal: what a scheduler did, written to and read from Chronicle Queue. */
@SuppressWarnings("requires-automatic") // most of Chronicle has no module name but that of its file
module dev.headway.probes.chronicle {
  requires transitive dev.headway.api;
  requires transitive dev.headway.events;
  requires chronicle.bytes;
  requires chronicle.core;
  requires chronicle.queue;
  requires chronicle.wire;
  requires jdk.unsupported; // Chronicle's
  requires static org.jspecify;
  requires org.slf4j;

  exports dev.headway.probes.chronicle;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.probes.chronicle.ChronicleProbeProvider;
}
