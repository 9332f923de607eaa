package dev.headway.cli.command;

import picocli.CommandLine.Option;

/** {@code --num-speculative-tokens} of a command line that has {@code --speculative-method}. */
public final class DraftTokensOption {

  @Needs("--speculative-method")
  @InRange(from = 0)
  @Option(
      names = "--num-speculative-tokens",
      paramLabel = "N",
      description = "Draft tokens per request and step (${DEFAULT-VALUE}).")
  private int numSpeculativeTokens;

  /** Most draft tokens of a request in a step, at least 0. */
  public int count() {
    return numSpeculativeTokens;
  }
}
