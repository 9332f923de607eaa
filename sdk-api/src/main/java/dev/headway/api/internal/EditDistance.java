package dev.headway.api.internal;

/**
 * Levenshtein's distance from one word: characters to insert, delete or replace. Keeps its memory
 * from word to word. One thread.
 */
public final class EditDistance {

  private final String from;
  private int[] row = new int[0];

  /** Prepares for a word. */
  public EditDistance(String from) {
    this.from = from;
  }

  /** How far another word is. */
  public int to(String word) {
    if (row.length < word.length() + 1) {
      row = new int[word.length() + 1];
    }
    for (int j = 0; j <= word.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= word.length(); j++) {
        final int replaced = diagonal + (from.charAt(i - 1) == word.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[word.length()];
  }
}
