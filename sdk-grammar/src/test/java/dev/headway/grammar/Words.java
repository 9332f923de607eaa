package dev.headway.grammar;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A vocabulary for tests: all bytes, an end, and words as models have them. */
public final class Words {

  /** The end of an answer. */
  public static final int END = 256;

  private static final String[] PIECES = {
    "{\"", "\":", "\": ", "\",", "\", \"", "\"}", "}]", "[{", "[]", "{}", "true", "false", "null",
        " true",
    ", ", "], ", "10", "2026", "-1", "0.5", "name", "\"name", "age", "\"age\"", " a", "the", "é",
        "日本",
    "\\\"", "\\n", "\\u00", "😀", "items", "\"items\":[", "id", "x", "ab", "abc", "-0", "e+",
        "T00:00:00Z", "@"
  };

  private final List<byte[]> tokens = new ArrayList<>();
  private final Vocabulary vocabulary;

  private Words(int more, long seed) {
    for (int value = 0; value < 256; value++) {
      tokens.add(new byte[] {(byte) value});
    }
    tokens.add(new byte[0]);
    for (String piece : PIECES) {
      tokens.add(piece.getBytes(StandardCharsets.UTF_8));
    }
    final Random random = new Random(seed);
    final String letters = "{}[]\":, abcdefghijklmnopqrstuvwxyz0123456789-.\\_TZé";
    while (tokens.size() < more) {
      final StringBuilder word = new StringBuilder();
      for (int i = 1 + random.nextInt(6); i >= 0; i--) {
        word.append(letters.charAt(random.nextInt(letters.length())));
      }
      tokens.add(word.toString().getBytes(StandardCharsets.UTF_8));
    }
    vocabulary = Vocabulary.of(tokens.size(), tokens::get, END);
  }

  /** Bytes and some hundred words. */
  public static Words few() {
    return new Words(600, 1);
  }

  /** As many tokens as asked for. */
  public static Words of(int size) {
    return new Words(size, 2);
  }

  /** For a backend. */
  public Vocabulary vocabulary() {
    return vocabulary;
  }

  /** The bytes of a token. */
  public byte[] bytes(int token) {
    return tokens.get(token);
  }
}
