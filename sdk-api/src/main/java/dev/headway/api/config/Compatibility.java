package dev.headway.api.config;

/** Whether dead ends of the system we follow are kept. */
public enum Compatibility {
  /** Every request ends: what can never progress is finished or rejected with a reason. */
  HEADWAY,
  /**
   * Decision for decision as vLLM 0.28, dead ends included: a request that can never fit is
   * preempted or waits for ever, freed blocks can be reused before an unanswered step is
   * acknowledged, blocks of a chunk that was planned and taken back in the same step stay findable
   * though nobody computed them, and requests of equal priority and arrival can preempt each other
   * for ever. For comparisons, not for serving.
   */
  VLLM_0_28
}
