/** Headway's scheduler, its engine, and the simulated executor. */
module dev.headway.scheduler {
  requires transitive dev.headway.api;
  requires transitive dev.headway.kvcache;
  requires org.slf4j;
  requires static org.jspecify;

  exports dev.headway.scheduler.core;
  exports dev.headway.scheduler.engine;
  exports dev.headway.scheduler.policy;
  exports dev.headway.scheduler.policy.capacity;
  exports dev.headway.scheduler.policy.order;
  exports dev.headway.scheduler.policy.tokens;
  exports dev.headway.scheduler.policy.victim;
  exports dev.headway.scheduler.sim;
  exports dev.headway.scheduler.time;

  uses dev.headway.api.policy.PolicyProvider;
  uses dev.headway.api.probe.ProbeProvider;

  provides dev.headway.api.policy.PolicyProvider with
      dev.headway.scheduler.policy.capacity.NewTokenRatio.Provider,
      dev.headway.scheduler.policy.capacity.NoEvict.Provider,
      dev.headway.scheduler.policy.capacity.Optimistic.Provider,
      dev.headway.scheduler.policy.order.ByPriority.Provider,
      dev.headway.scheduler.policy.order.EarliestDeadline.Provider,
      dev.headway.scheduler.policy.order.Fcfs.Provider,
      dev.headway.scheduler.policy.order.HighestResponseRatio.Provider,
      dev.headway.scheduler.policy.order.LeastSlack.Provider,
      dev.headway.scheduler.policy.order.LongestOutput.Provider,
      dev.headway.scheduler.policy.order.LongestPrefixMatch.Provider,
      dev.headway.scheduler.policy.order.RandomOrder.Provider,
      dev.headway.scheduler.policy.order.RunningAdapters.Provider,
      dev.headway.scheduler.policy.order.ShortestJob.Provider,
      dev.headway.scheduler.policy.order.ShortestPrefill.Provider,
      dev.headway.scheduler.policy.order.VirtualTokenCounter.Provider,
      dev.headway.scheduler.policy.tokens.EqualProgress.Provider,
      dev.headway.scheduler.policy.tokens.ItlBudget.Provider,
      dev.headway.scheduler.policy.tokens.LinearStepTime.Provider,
      dev.headway.scheduler.policy.victim.CostAware.Provider,
      dev.headway.scheduler.policy.victim.FewestOutputs.Provider,
      dev.headway.scheduler.policy.victim.LastAdmitted.Provider,
      dev.headway.scheduler.policy.victim.LeastComputed.Provider,
      dev.headway.scheduler.policy.victim.MostKv.Provider;
}
