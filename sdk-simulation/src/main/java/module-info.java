/**
 * Loads, and engines and fleets that serve them in virtual time.
 *
 * <p>Packages that are not exported are those of Headway's programs, on the class path.
 */
@SuppressWarnings("requires-automatic") // Hipparchus has no module name but that of its file
module dev.headway.simulation {
  requires transitive dev.headway.api;
  requires transitive dev.headway.events;
  requires transitive dev.headway.routing;
  requires transitive dev.headway.scheduler;
  requires dev.headway.toolbox;
  requires hipparchus.core;
  requires org.apache.commons.csv;
  requires static org.jspecify;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;

  exports dev.headway.simulation.fleet;
  exports dev.headway.simulation.run;
  exports dev.headway.simulation.workload;
  exports dev.headway.simulation.workload.arrival;
  exports dev.headway.simulation.workload.generated;
  exports dev.headway.simulation.workload.length;

  uses dev.headway.simulation.workload.generated.LoadDirectory;
}
