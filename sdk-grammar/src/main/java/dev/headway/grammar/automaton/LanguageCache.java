package dev.headway.grammar.automaton;

import dev.headway.grammar.Constraint;
import dev.headway.grammar.network.Language;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The languages used latest, by their constraint. Any thread. */
final class LanguageCache {

  private final Map<Constraint, Language> kept;

  LanguageCache(int most) {
    this.kept =
        new LinkedHashMap<>(16, 0.75f, true) {
          private static final long serialVersionUID = 1;

          @Override
          protected boolean removeEldestEntry(Map.Entry<Constraint, Language> eldest) {
            return size() > most;
          }
        };
  }

  synchronized @Nullable Language get(Constraint constraint) {
    return kept.get(constraint);
  }

  /** Keeps a language, unless there is one: returns the one that is kept. */
  synchronized Language put(Constraint constraint, Language language) {
    final Language known = kept.putIfAbsent(constraint, language);
    return known == null ? language : known;
  }
}
