/** Headway's scheduler, its engine, and the simulated executor. */
module dev.headway.scheduler {
  requires transitive dev.headway.api;
  requires transitive dev.headway.kvcache;
  requires jdk.jfr;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.headway.scheduler.core;
  exports dev.headway.scheduler.engine;
  exports dev.headway.scheduler.policy;
  exports dev.headway.scheduler.sim;
  exports dev.headway.scheduler.time;

  uses dev.headway.api.policy.PolicyCatalog;
  uses dev.headway.api.policy.PolicyProvider;
  uses dev.headway.api.probe.ProbeProvider;

  provides dev.headway.api.policy.PolicyCatalog with
      dev.headway.scheduler.policy.BuiltInPolicies;
}
