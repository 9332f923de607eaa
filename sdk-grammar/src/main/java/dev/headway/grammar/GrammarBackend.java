package dev.headway.grammar;

import dev.headway.api.request.Grammar;
import java.util.concurrent.CompletionStage;

/**
 * Compiles constraints for one vocabulary. A backend is made when the vocabulary is known and given
 * to what needs it; none is looked up by name, since each needs another set of things to begin
 * with.
 *
 * <p>Any thread may compile. The grammars belong to one engine's thread each, as {@link Grammar}
 * says.
 */
public interface GrammarBackend extends AutoCloseable {

  /**
   * Begins to compile, on threads of the backend.
   *
   * @return a grammar for one request, which may have been compiled before; or it fails with a
   *     {@link ConstraintException} that says what is wrong. It is made for {@code
   *     Request.Builder.grammar}, which holds the request until it ends
   */
  CompletionStage<Grammar> compile(Constraint constraint);

  /** Ends its threads; what is being compiled fails. Grammars made before go on. */
  @Override
  void close();
}
