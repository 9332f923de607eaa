package dev.headway.grammar.automaton;

import dev.headway.api.request.Grammar;
import dev.headway.api.step.TokenConstraints;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.Words;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletionException;

/** Compiles and walks, as a request would. */
final class Walks {

  private final Words words = Words.few();
  private final GrammarBackend backend;

  Walks() {
    this.backend = AutomatonBackend.builder(words.vocabulary()).threads(1).build();
  }

  int size() {
    return words.vocabulary().size();
  }

  Grammar compile(Constraint constraint) {
    try {
      return backend.compile(constraint).toCompletableFuture().join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof ConstraintException reason) {
        throw reason;
      }
      throw e;
    }
  }

  Grammar schema(String schema) {
    return compile(new Constraint.JsonSchema(schema));
  }

  /** Whether the bytes of a text are accepted one by one, and the text may end. */
  static boolean takes(Grammar grammar, String text) {
    int accepted = 0;
    boolean isTaken = true;
    for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
      if (!grammar.accept(value & 0xff)) {
        isTaken = false;
        break;
      }
      accepted++;
    }
    if (isTaken) {
      isTaken = grammar.accept(Words.END);
      accepted += isTaken ? 1 : 0;
    }
    grammar.rollback(accepted);
    return isTaken;
  }

  /**
   * A random text within the masks; after so many tokens, the end and what closes is preferred.
   *
   * @return the text, or null if it did not end
   */
  String walk(Grammar grammar, Random random, int hurryAfter) {
    final int size = words.vocabulary().size();
    final int[] mask = new int[TokenConstraints.wordsPerRow(size)];
    final ByteArrayOutputStream text = new ByteArrayOutputStream();
    for (int i = 0; i < 3_000; i++) {
      grammar.fillMask(mask, 0);
      final int token = pick(mask, size, random, i >= hurryAfter);
      if (!grammar.accept(token)) {
        throw new AssertionError("refused its own token " + token + " behind " + text);
      }
      if (token == Words.END) {
        return text.toString(StandardCharsets.UTF_8);
      }
      text.writeBytes(words.bytes(token));
    }
    return null;
  }

  private static int pick(int[] mask, int size, Random random, boolean isHurried) {
    if (isHurried) {
      for (int token : new int[] {Words.END, '}', ']', '"'}) {
        if (has(mask, token) && random.nextInt(8) > 0) {
          return token;
        }
      }
    }
    final int from = random.nextInt(size);
    for (int i = 0; i < size; i++) {
      if (has(mask, (from + i) % size)) {
        return (from + i) % size;
      }
    }
    throw new AssertionError("a mask must have a token");
  }

  private static boolean has(int[] mask, int token) {
    return (mask[token >> 5] >>> token & 1) != 0;
  }
}
