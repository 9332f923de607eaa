package dev.headway.server;

import dev.headway.api.request.Grammar;
import dev.headway.api.request.Request;
import dev.headway.grammar.ConstraintException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what answers must look like to be compiled. Stateless. */
final class ConstraintWait {

  private ConstraintWait() {}

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
  static void await(Request request, String field, Look look)
      throws IOException, InterruptedException {
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
}
