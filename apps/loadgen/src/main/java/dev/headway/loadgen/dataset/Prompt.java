package dev.headway.loadgen.dataset;

/** What is asked. */
public sealed interface Prompt {

  /**
   * Numbers of tokens, whose count is exact whatever the tokenizer.
   *
   * @param ids not copied; not to be changed
   */
  @SuppressWarnings("ArrayRecordComponent") // handed over, never compared
  record Tokens(int[] ids) implements Prompt {}

  /**
   * Words.
   *
   * @param text not empty
   */
  record Text(String text) implements Prompt {}
}
