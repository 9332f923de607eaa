package dev.headway.cli.command;

import picocli.CommandLine.Option;

/** {@code --block-size} of a command line. */
public final class BlockSizeOption {

  @InRange(from = 1)
  @Option(
      names = "--block-size",
      paramLabel = "N",
      description = "Tokens per KV block (${DEFAULT-VALUE}).")
  private int blockSize = 16;

  /** Tokens per KV block, at least 1. */
  public int tokens() {
    return blockSize;
  }
}
