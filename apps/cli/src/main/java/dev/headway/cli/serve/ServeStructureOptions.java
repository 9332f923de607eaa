package dev.headway.cli.serve;

import dev.headway.cli.command.InRange;
import dev.headway.grammar.GrammarLimits;
import dev.headway.server.StructureOptions;
import dev.headway.serving.tool.ToolParser;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What answers may be constrained by, on the command line. */
final class ServeStructureOptions {

  @Option(
      names = "--tool-call-parser",
      paramLabel = "NAME",
      description =
          "How the model writes calls of tools of its own accord: hermes, <tool_call> around JSON"
              + " (Hermes, Qwen); without one, tool_choice auto is refused (none).")
  private @Nullable ToolParser toolCallParser;

  @InRange(from = 1, to = 1 << 24)
  @Option(
      names = "--max-schema-chars",
      paramLabel = "N",
      description = "Longest schema or regular expression of a request (${DEFAULT-VALUE}).")
  private int maxSchemaChars = GrammarLimits.DEFAULT.maxChars();

  @InRange(from = 1, to = 1 << 24)
  @Option(
      names = "--max-grammar-states",
      paramLabel = "N",
      description =
          "Most states of what is compiled of one, which bounds its counts (${DEFAULT-VALUE}).")
  private int maxGrammarStates = GrammarLimits.DEFAULT.maxStates();

  @InRange(from = 1, to = 60_000)
  @Option(
      names = "--max-grammar-compile-ms",
      paramLabel = "MS",
      description = "Longest compilation of one, in a processor's time (${DEFAULT-VALUE}).")
  private int maxGrammarCompileMs = (int) GrammarLimits.DEFAULT.maxCompileTime().toMillis();

  /**
   * The options.
   *
   * @throws IllegalArgumentException naming the option that is out of range
   */
  StructureOptions options() {
    return StructureOptions.DEFAULT
        .withLimits(
            GrammarLimits.DEFAULT
                .withMaxChars(maxSchemaChars)
                .withMaxStates(maxGrammarStates)
                .withMaxCompileTime(Duration.ofMillis(maxGrammarCompileMs)))
        .withToolParser(toolCallParser);
  }
}
