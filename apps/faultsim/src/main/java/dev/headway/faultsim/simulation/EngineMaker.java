package dev.headway.faultsim.simulation;

import dev.headway.api.engine.Engine;
import org.jspecify.annotations.Nullable;

/**
 * Makes the engine that is put to the test. For a scheduler, a KV cache or policies of your own:
 *
 * {@snippet lang=java :
 * parts -> HeadwayEngine.builder(parts.executor())
 *     .config(parts.config())
 *     .clock(parts.clock())
 *     .probe(parts.probe())
 *     .policies(parts.policies())
 *     .kvCache(context -> parts.checked(new MyKvCache(context)))
 *     .scheduler(MyScheduler::new)
 *     .build();
 * }
 */
@FunctionalInterface
public interface EngineMaker {

  /**
   * Makes an engine that the caller drives.
   *
   * @param parts what it must use
   * @throws IllegalArgumentException if it does not take this combination of options; another one
   *     is drawn then
   */
  Engine make(EngineParts parts);

  /**
   * The engine made last has ended its run: checks what was recorded of it.
   *
   * @return what does not hold of {@link Rule#RECORDED}, or null
   */
  default @Nullable String checkRecord() {
    return null;
  }
}
