/**
 * CSV files of a journal or of a running engine, and the check of their identities.
 *
 * <p>Packages that are not exported are those of Headway's programs, on the class path.
 */
module dev.headway.probes.csv {
  requires transitive dev.headway.api;
  requires transitive dev.headway.events;
  requires transitive dev.headway.probes.chronicle;
  requires transitive dev.headway.toolbox;
  requires org.apache.commons.csv;
  requires static org.jspecify;
  requires org.slf4j;
  requires tools.jackson.core;
  requires tools.jackson.databind;

  exports dev.headway.probes.csv;
  exports dev.headway.probes.csv.check;
  exports dev.headway.probes.csv.live;
  exports dev.headway.probes.csv.option;

  provides dev.headway.api.probe.ProbeProvider with
      dev.headway.probes.csv.live.CsvProbeProvider;
}
