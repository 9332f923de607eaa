package dev.headway.grammar;

import java.time.Duration;

/**
 * What a constraint may cost. Immutable.
 *
 * @param maxChars longest constraint, in characters
 * @param maxDepth deepest nesting of a schema or of groups of a regular expression
 * @param maxStates most states of a grammar, which bounds counts such as {@code maxItems} too
 * @param maxCompileTime longest compilation, in time that its thread computes
 * @param maxCached compiled grammars that are kept for later requests of the same constraint
 * @param maxMaskBytes memory of one grammar's masks; they are made anew beyond it
 */
public record GrammarLimits(
    int maxChars,
    int maxDepth,
    int maxStates,
    Duration maxCompileTime,
    int maxCached,
    int maxMaskBytes) {

  /** 64 Ki characters, 64 deep, 20,000 states, 100 ms, 64 grammars with 4 MiB of masks each. */
  public static final GrammarLimits DEFAULT =
      new GrammarLimits(1 << 16, 64, 20_000, Duration.ofMillis(100), 64, 4 << 20);

  /** Validates the components. */
  public GrammarLimits {
    require("maxChars", maxChars);
    require("maxDepth", maxDepth);
    require("maxStates", maxStates);
    require("maxCached", maxCached);
    require("maxMaskBytes", maxMaskBytes);
    if (maxCompileTime.isNegative() || maxCompileTime.isZero()) {
      throw new IllegalArgumentException(
          "maxCompileTime must be > 0: maxCompileTime=" + maxCompileTime);
    }
  }

  private static void require(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " must be >= 1: " + name + "=" + value);
    }
  }

  /** Returns these with another longest constraint. */
  public GrammarLimits withMaxChars(int chars) {
    return new GrammarLimits(chars, maxDepth, maxStates, maxCompileTime, maxCached, maxMaskBytes);
  }

  /** Returns these with another most of states. */
  public GrammarLimits withMaxStates(int states) {
    return new GrammarLimits(maxChars, maxDepth, states, maxCompileTime, maxCached, maxMaskBytes);
  }

  /** Returns these with another longest compilation. */
  public GrammarLimits withMaxCompileTime(Duration longest) {
    return new GrammarLimits(maxChars, maxDepth, maxStates, longest, maxCached, maxMaskBytes);
  }

  /** Returns these with another number of grammars kept. */
  public GrammarLimits withMaxCached(int grammars) {
    return new GrammarLimits(maxChars, maxDepth, maxStates, maxCompileTime, grammars, maxMaskBytes);
  }

  /** Returns these with another memory of masks. */
  public GrammarLimits withMaxMaskBytes(int bytes) {
    return new GrammarLimits(maxChars, maxDepth, maxStates, maxCompileTime, maxCached, bytes);
  }
}
