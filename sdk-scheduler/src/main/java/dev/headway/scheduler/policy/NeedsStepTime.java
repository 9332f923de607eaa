package dev.headway.scheduler.policy;

/**
 * Marks a policy that decides by {@link dev.headway.api.policy.StepView#estimateNs}: {@link
 * PolicyLoader} adds a model that learns from the steps, unless one was asked for.
 */
public interface NeedsStepTime {}
