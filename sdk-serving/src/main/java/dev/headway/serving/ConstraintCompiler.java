package dev.headway.serving;

import dev.headway.api.request.Grammar;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.GrammarLimits;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.automaton.AutomatonBackend;
import dev.headway.serving.tokenizer.Tokenizer;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Compiles what answers must look like; made of the model's vocabulary at the first. Any thread.
 */
public final class ConstraintCompiler implements AutoCloseable {

  private static final byte[] NO_TEXT = {};

  private final ServedModel model;
  private final GrammarLimits limits;
  private final int threads;
  private @Nullable GrammarBackend backend;

  /**
   * Makes a compiler, which does nothing before the first constraint.
   *
   * @param limits what a constraint may cost
   * @param threads how many compile, >= 1
   */
  public ConstraintCompiler(ServedModel model, GrammarLimits limits, int threads) {
    this.model = model;
    this.limits = limits;
    this.threads = threads;
  }

  /**
   * Compiles a constraint, or finds it compiled. The grammar is for one request.
   *
   * @return completes exceptionally with a {@link dev.headway.grammar.ConstraintException} that
   *     says what cannot be kept
   */
  public CompletionStage<Grammar> compile(Constraint constraint) {
    return backend().compile(constraint);
  }

  private synchronized GrammarBackend backend() {
    GrammarBackend made = backend;
    if (made == null) {
      made =
          AutomatonBackend.builder(
                  Vocabulary.of(model.vocabularySize(), this::text, model.eosTokenIds()))
              .limits(limits)
              .threads(threads)
              .build();
      backend = made;
    }
    return made;
  }

  private byte[] text(int tokenId) {
    final Tokenizer tokenizer = model.tokenizer();
    return tokenId < tokenizer.vocabularySize() && !tokenizer.isSpecial(tokenId)
        ? tokenizer.bytes(tokenId)
        : NO_TEXT;
  }

  /** Ends the threads that compile, if there are any. */
  @Override
  public synchronized void close() {
    if (backend != null) {
      backend.close();
    }
  }
}
