package dev.headway.server;

import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.grammar.Constraint;
import dev.headway.grammar.ConstraintException;
import dev.headway.grammar.GrammarBackend;
import dev.headway.grammar.Vocabulary;
import dev.headway.grammar.automaton.AutomatonBackend;
import dev.headway.server.tokenizer.Tokenizer;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Compiles what answers must look like; made of the model's vocabulary at the first. Any thread.
 */
final class ConstraintCompiler implements AutoCloseable {

  private static final byte[] NO_TEXT = {};

  private final ServedModel model;
  private final StructureOptions options;
  private @Nullable GrammarBackend backend;

  ConstraintCompiler(ServedModel model, StructureOptions options) {
    this.model = model;
    this.options = options;
  }

  CompletionStage<Grammar> compile(Constraint constraint) {
    return backend().compile(constraint);
  }

  private synchronized GrammarBackend backend() {
    GrammarBackend made = backend;
    if (made == null) {
      made =
          AutomatonBackend.builder(
                  Vocabulary.of(model.vocabularySize(), this::text, model.eosTokenIds()))
              .limits(options.limits())
              .threads(options.threads())
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

  /** Something to do now and then while a client waits. */
  interface Look {
    /**
     * Looks.
     *
     * @throws IOException if nothing is to be waited for any more
     */
    void look() throws IOException;
  }

  /**
   * Waits until a request's grammar is compiled, if it has one.
   *
   * @param field of the body that asked for it
   * @param look done every second
   * @throws ApiException if it could not be
   * @throws IOException from {@code look}
   */
  void await(Request request, String field, Look look) throws IOException, InterruptedException {
    final CompletionStage<Grammar> compiling = request.grammar();
    if (compiling == null) {
      return;
    }
    final CompletableFuture<Grammar> future = compiling.toCompletableFuture();
    while (true) {
      try {
        future.get(1, TimeUnit.SECONDS);
        return;
      } catch (TimeoutException e) {
        look.look();
      } catch (ExecutionException e) {
        throw failure(field, e);
      }
    }
  }

  /** What a client is answered whose constraint could not be compiled. */
  private static ApiException failure(String field, Throwable failure) {
    final Throwable cause =
        (failure instanceof CompletionException || failure instanceof ExecutionException)
                && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (!(cause instanceof ConstraintException reason)) {
      return ApiException.of(500, "internal", "the constraint could not be compiled: " + cause);
    }
    if (reason.kind() == ConstraintException.Kind.BUSY) {
      return ApiException.constraintsBusy(String.valueOf(reason.getMessage()));
    }
    final String at = reason.path().isEmpty() ? "" : " at " + reason.path();
    return ApiException.invalid(field, field + " cannot be kept" + at + ": " + reason.getMessage());
  }

  @Override
  public synchronized void close() {
    if (backend != null) {
      backend.close();
    }
  }
}
