package dev.headway.grammar.automaton;

import dev.headway.api.request.Grammar;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.network.Config;
import dev.headway.grammar.network.Language;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A request's way through a language; every step back is known. One thread. */
final class LanguageGrammar implements Grammar {

  private final Language language;
  private final Vocabulary vocabulary;
  private Config[] way = new Config[64];
  private int accepted;
  private boolean ended;

  LanguageGrammar(Language language) {
    this.language = language;
    this.vocabulary = language.vocabulary();
    way[0] = language.start();
  }

  @Override
  public boolean accept(int tokenId) {
    final Config now = way[accepted];
    final Config next = next(now, tokenId);
    if (next == null) {
      return false;
    }
    if (accepted + 1 == way.length) {
      way = Arrays.copyOf(way, 2 * way.length);
    }
    way[++accepted] = next;
    ended = vocabulary.isEnd(tokenId);
    return true;
  }

  private @Nullable Config next(Config now, int tokenId) {
    if (vocabulary.isEnd(tokenId)) {
      return now.accepts() ? now : null;
    }
    return tokenId < vocabulary.size() && vocabulary.length(tokenId) > 0
        ? language.next(now, tokenId)
        : null;
  }

  @Override
  public void rollback(int tokens) {
    if (tokens > 0) {
      Arrays.fill(way, accepted - tokens + 1, accepted + 1, null);
      accepted -= tokens;
      ended = false; // nothing is accepted behind an end
    }
  }

  @Override
  public boolean isTerminated() {
    return ended || (vocabulary.endTokens() == 0 && way[accepted].isComplete());
  }

  @Override
  public void fillMask(int[] mask, int offset) {
    final Config now = way[accepted];
    language.fillMask(now, mask, offset);
    if (now.accepts()) {
      for (int i = 0; i < vocabulary.endTokens(); i++) {
        final int end = vocabulary.endTokenId(i);
        mask[offset + (end >> 5)] |= 1 << end;
      }
    }
  }
}
