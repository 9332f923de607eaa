package dev.headway.api.config;

/** Whether the known dead ends of vLLM are reproduced. */
public enum Compatibility {
  /** Every request ends: one that can never progress is finished or rejected with a reason. */
  HEADWAY,
  /**
   * Decision for decision as vLLM 0.28, dead ends included: a request that can never fit is
   * preempted or waits indefinitely, freed blocks can be reused before an unanswered step is
   * acknowledged, blocks of a chunk that was planned and taken back in the same step stay findable
   * although they were never computed, as do the encoder's outputs that it was to compute, a prefix
   * that ends inside a block is copied in the very step that writes the block, requests of equal
   * priority and arrival can preempt each other endlessly, and sessions that wait for input keep
   * the blocks and seats that others lack. For comparisons, not for serving.
   */
  VLLM_0_28
}
