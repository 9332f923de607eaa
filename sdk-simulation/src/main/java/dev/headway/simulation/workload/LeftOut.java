package dev.headway.simulation.workload;

/** Why a row of a load is no request. */
public enum LeftOut {
  /** The request failed before its prompt was counted: 0 prompt tokens. */
  NO_INPUT("without request tokens"),
  /** The request failed: 0 output tokens. */
  NO_OUTPUT("without response tokens"),
  /** Its number of tokens is an empty cell, as where a column of pandas has a gap. */
  NO_NUMBER("without a number of tokens"),
  /** The request failed: the column {@code error} says so. */
  FAILED("of a failed request"),
  /** A request of a journal that ends before it. */
  NO_END("without an end in the journal"),
  /** A conversation without a prompt and an answer. */
  FEW_TURNS("of fewer than two turns"),
  /** A conversation that the filter of {@code vllm bench serve} drops. */
  SHORT("with fewer than 4 tokens in the prompt or the answer"),
  /** A conversation that the filter of {@code vllm bench serve} drops. */
  LONG("with more than 1,024 prompt tokens or 2,048 in all");

  private final String label;

  LeftOut(String label) {
    this.label = label;
  }

  /** In words, behind a number of rows. */
  public String label() {
    return label;
  }
}
