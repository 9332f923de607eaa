package dev.headway.api.config;

/**
 * Generation of vLLM's model runner that the scheduler targets. They differ in how many steps may
 * be out and in how soon a request may decode again.
 */
public enum ModelRunner {
  /** Two steps out with asynchronous scheduling; resumed requests come with the running ones. */
  V1,
  /** One step more than there are pipeline stages; resumed requests come like new ones. */
  V2
}
