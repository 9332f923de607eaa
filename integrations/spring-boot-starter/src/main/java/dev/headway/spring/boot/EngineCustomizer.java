package dev.headway.spring.boot;

import dev.headway.scheduler.engine.EngineBuilder;

/**
 * Changes an engine before it is built: for what no property and no bean says, such as a scheduler
 * or a KV cache of one's own. Beans of this type are called in their order, last of all.
 */
@FunctionalInterface
public interface EngineCustomizer {

  /** Sets options of the engine. On the thread that makes the beans. */
  void customize(EngineBuilder builder);
}
