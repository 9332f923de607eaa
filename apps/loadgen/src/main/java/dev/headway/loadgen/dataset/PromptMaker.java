package dev.headway.loadgen.dataset;

import dev.headway.simulation.workload.PromptTokens;

/**
 * Makes prompts up for requests that have none: equal blocks of prefixes become equal tokens, the
 * rest is unique. Any thread.
 */
public final class PromptMaker {

  /** Least vocabulary: what every model has. */
  public static final int COMMON_VOCABULARY = 256;

  private static final String[] SYLLABLES = {
    "ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo", "yu", "za"
  };

  private final PromptTokens tokens;
  private final Form form;

  /** What prompts are made of. */
  public enum Form {
    /** Numbers of tokens; lengths are exact. */
    IDS,
    /** A made-up word per token; a tokenizer may make more of it. */
    TEXT
  }

  /**
   * Makes a maker.
   *
   * @param vocabularySize token numbers are below it, at least 2
   * @param seed equal seeds make equal prompts
   */
  public PromptMaker(int vocabularySize, long seed, Form form) {
    this.tokens = new PromptTokens(vocabularySize, seed);
    this.form = form;
  }

  /** The prompt of a request. */
  public Prompt of(BenchRequest request) {
    if (request.prompt() != null) {
      return request.prompt();
    }
    final int[] ids = tokens.of(request.shape());
    return form == Form.IDS ? new Prompt.Tokens(ids) : new Prompt.Text(words(ids));
  }

  private static String words(int[] ids) {
    final StringBuilder text = new StringBuilder(ids.length * 5);
    for (int id : ids) {
      if (!text.isEmpty()) {
        text.append(' ');
      }
      int rest = id;
      do {
        text.append(SYLLABLES[rest & 15]);
        rest >>>= 4;
      } while (rest != 0);
    }
    return text.toString();
  }
}
