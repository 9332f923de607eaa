/** Workloads, and engines that run them in virtual time. */
module dev.headway.simulation {
  requires transitive dev.headway.api;
  requires transitive dev.headway.scheduler;
  requires transitive dev.headway.events;
  requires org.apache.commons.csv;
  requires static org.jspecify;
  requires tools.jackson.core;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;

  exports dev.headway.simulation.compare;
  exports dev.headway.simulation.fit;
  exports dev.headway.simulation.hardware;
  exports dev.headway.simulation.kernel;
  exports dev.headway.simulation.model;
  exports dev.headway.simulation.run;
  exports dev.headway.simulation.step;
  exports dev.headway.simulation.workload;
  exports dev.headway.simulation.workload.arrival;
  exports dev.headway.simulation.workload.generated;
  exports dev.headway.simulation.workload.length;
}
