package dev.headway.api.schedule;

/** Whether a step may compute prompts. */
public enum PrefillGate {
  /** As far as the budget goes. */
  OPEN,
  /**
   * Not while a running request decodes, unless the latest admissions left somebody waiting: with
   * data parallelism one replica's prompt holds up the decodes of all.
   */
  THROTTLED
}
