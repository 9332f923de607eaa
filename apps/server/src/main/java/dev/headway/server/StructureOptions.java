package dev.headway.server;

import dev.headway.grammar.GrammarLimits;
import dev.headway.serving.tool.ToolParser;
import org.jspecify.annotations.Nullable;

/**
 * What answers may be constrained by. Immutable.
 *
 * @param limits what a constraint may cost
 * @param threads how many compile
 * @param toolParser how the model writes calls of its own accord; null if that is not known, and
 *     {@code tool_choice} may not be {@code auto}
 */
public record StructureOptions(GrammarLimits limits, int threads, @Nullable ToolParser toolParser) {

  /** The usual limits on one thread, and no parser. */
  public static final StructureOptions DEFAULT =
      new StructureOptions(GrammarLimits.DEFAULT, 1, null);

  /** Returns these with other limits. */
  public StructureOptions withLimits(GrammarLimits other) {
    return new StructureOptions(other, threads, toolParser);
  }

  /** Returns these with another parser. */
  public StructureOptions withToolParser(@Nullable ToolParser parser) {
    return new StructureOptions(limits, threads, parser);
  }
}
