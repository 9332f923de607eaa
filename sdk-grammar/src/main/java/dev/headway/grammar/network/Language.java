package dev.headway.grammar.network;

import dev.headway.grammar.Vocabulary;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a network in tokens of a vocabulary: what requests with the same constraint share.
 * Any thread; calls wait for each other, for a mask that is made anew some milliseconds.
 */
public final class Language {

  private final Vocabulary vocabulary;
  private final Configs configs;
  private final Masks masks;

  /**
   * Makes a language.
   *
   * @param maxMaskBytes memory for masks
   */
  public Language(Network network, TokenTrie trie, int maxMaskBytes) {
    this.vocabulary = trie.vocabulary();
    this.configs = new Configs(network);
    this.masks = new Masks(configs, network.states(), trie, maxMaskBytes);
  }

  /** The vocabulary. */
  public Vocabulary vocabulary() {
    return vocabulary;
  }

  /** What the empty text has led to. */
  public synchronized Config start() {
    return configs.start();
  }

  /**
   * What a token of text leads to.
   *
   * @return that, or null if the language does not have it here
   */
  public synchronized @Nullable Config next(Config config, int tokenId) {
    final int length = vocabulary.length(tokenId);
    Config next = config;
    for (int i = 0; i < length; i++) {
      next = configs.next(next, vocabulary.byteAt(tokenId, i));
      if (next.isDead()) {
        return null;
      }
    }
    return next;
  }

  /** Writes which tokens of text may follow. */
  public synchronized void fillMask(Config config, int[] mask, int offset) {
    masks.of(config).fill(mask, offset);
  }

  /** Makes the masks of the first token. */
  public synchronized void warm() {
    masks.of(configs.start());
  }
}
