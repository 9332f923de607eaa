/** Headway's scheduler, its engine, and the simulated executor. */
module dev.headway.scheduler {
  requires transitive dev.headway.api;
  requires transitive dev.headway.kvcache;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.headway.scheduler.core;
  exports dev.headway.scheduler.engine;
  exports dev.headway.scheduler.sim;
  exports dev.headway.scheduler.time;

  uses dev.headway.api.probe.ProbeProvider;
}
