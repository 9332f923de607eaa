package dev.headway.api.schedule;

/** Whether the KV blocks of a failed step can be reused. */
public enum BlockFence {
  /** The step may still write KV: its blocks stay in quarantine until the fence is released. */
  HOLD,
  /** The step writes no more KV: its blocks can be reused at once. */
  RELEASE
}
