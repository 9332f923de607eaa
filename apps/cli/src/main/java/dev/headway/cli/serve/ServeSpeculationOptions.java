package dev.headway.cli.serve;

import dev.headway.api.config.SpeculationOptions;
import dev.headway.api.config.SpeculativeMethod;
import dev.headway.cli.command.InRange;
import dev.headway.cli.command.Needs;
import dev.headway.executor.speculation.NgramOptions;
import dev.headway.server.ExecutorChoice;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Draft tokens of {@code headway serve}. Names are those of vLLM's speculative config. */
final class ServeSpeculationOptions {

  @Option(
      names = "--speculative-method",
      paramLabel = "METHOD",
      description =
          "Who drafts tokens: none, or ngram, which proposes what followed the end of a text where it"
              + " was before (${DEFAULT-VALUE}).")
  private SpeculativeMethod method = SpeculativeMethod.NONE;

  @Needs("--speculative-method")
  @InRange(from = 0)
  @Option(
      names = "--num-speculative-tokens",
      paramLabel = "N",
      description = "Draft tokens per request and step (${DEFAULT-VALUE}).")
  private int numSpeculativeTokens;

  @Needs("--speculative-method")
  @InRange(from = 1)
  @Option(
      names = "--prompt-lookup-min",
      paramLabel = "N",
      description = "Shortest end of a text that is looked up, in tokens (--prompt-lookup-max).")
  private @Nullable Integer promptLookupMin;

  @Needs("--speculative-method")
  @InRange(from = 1)
  @Option(
      names = "--prompt-lookup-max",
      paramLabel = "N",
      description = "Longest end of a text that is looked up, in tokens (5, or the least).")
  private @Nullable Integer promptLookupMax;

  /**
   * What the scheduler gets.
   *
   * @throws IllegalArgumentException if no executor drafts so
   */
  SpeculationOptions speculation() {
    if (method != SpeculativeMethod.NONE && method != SpeculativeMethod.NGRAM) {
      throw new IllegalArgumentException(
          "--speculative-method must be none or ngram, for no executor here has another drafter:"
              + " --speculative-method="
              + method.name().toLowerCase(Locale.ROOT));
    }
    return SpeculationOptions.of(method, numSpeculativeTokens);
  }

  /**
   * What the executor gets; null without drafts.
   *
   * @throws IllegalArgumentException if it cannot draft
   */
  @Nullable NgramOptions ngrams(ExecutorChoice.Backend executor) {
    if (speculation().method() == SpeculativeMethod.NONE) {
      return null;
    }
    if (executor == ExecutorChoice.Backend.SIMULATED) {
      throw new IllegalArgumentException(
          "--speculative-method needs an executor that runs the model: --executor=simulated");
    }
    final int usual = NgramOptions.DEFAULT.maxTokens();
    final int most =
        promptLookupMax == null
            ? promptLookupMin == null ? usual : Math.max(usual, promptLookupMin)
            : promptLookupMax;
    return new NgramOptions(promptLookupMin == null ? most : promptLookupMin, most);
  }
}
