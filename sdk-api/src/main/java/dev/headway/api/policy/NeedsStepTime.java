package dev.headway.api.policy;

/**
 * Marks an order, a gate or a token budget that decides by {@link StepView#estimateNs}: where
 * policies are made by name, a {@link StepTimeModel} that learns from the steps is added unless one
 * is given.
 */
public interface NeedsStepTime {}
