package dev.headway.scheduler.core;

import dev.headway.api.request.Grammar;
import dev.headway.api.request.RequestStatus;
import dev.headway.api.step.TokenConstraints;
import dev.headway.scheduler.state.RequestState;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.CompletionStage;

/** The grammars of requests, and which tokens they leave to the entries of a plan. */
final class Grammars {

  private static final int ALL = -1;

  private Grammars() {}

  /** The request is held by its grammar no longer. */
  static void compiled(RequestState request) {
    final CompletionStage<Grammar> stage = request.request().grammar();
    if (stage != null) {
      request.grammar =
          Objects.requireNonNull(
              stage.toCompletableFuture().getNow(null),
              "a hold for a grammar must not be released before the grammar is there");
    }
  }

  /**
   * Advances by the request's latest outputs.
   *
   * @return whether the grammar allows them
   */
  static boolean advance(RequestState request, Grammar grammar, int outputs) {
    for (int i = request.knownTokens - outputs; i < request.knownTokens; i++) {
      if (grammar.isTerminated()) {
        return true;
      }
      if (!grammar.accept(request.tokenId(i))) {
        return false;
      }
    }
    return true;
  }

  /** How many of the first {@code count} drafts the grammar allows, up to where it is complete. */
  static int allowed(Grammar grammar, int[] drafts, int count) {
    int accepted = 0;
    while (accepted < count && !grammar.isTerminated() && grammar.accept(drafts[accepted])) {
      accepted++;
    }
    grammar.rollback(accepted);
    return accepted;
  }

  /** The constraints of one plan buffer. */
  static final class OfPlan implements TokenConstraints {

    private final PlanBuffer plan;
    private boolean isEmpty;
    private boolean awaitOutputs;

    OfPlan(PlanBuffer plan) {
      this.plan = plan;
    }

    /**
     * The plan is made.
     *
     * @param isAhead whether outputs of entries are due when later ones are planned
     */
    void planned(boolean isAhead) {
      isEmpty = true;
      awaitOutputs = false;
      for (int entry = 0; entry < plan.size(); entry++) {
        final RequestState request = plan.state(entry);
        if (request.grammar != null && !request.prefillChunk) {
          isEmpty = false;
          final int ofThisStep = 1 + plan.draftTokens(entry);
          awaitOutputs |= isAhead && request.placeholders > ofThisStep;
        }
      }
    }

    @Override
    public boolean isEmpty() {
      return isEmpty;
    }

    @Override
    public boolean awaitOutputs() {
      return awaitOutputs;
    }

    @Override
    public int rows(int entry) {
      final RequestState request = plan.state(entry);
      final boolean isConstrained =
          !isEmpty
              && request.grammar != null
              && !request.prefillChunk
              && request.status != RequestStatus.FINISHED; // by an output of an earlier step
      return isConstrained ? 1 + plan.draftTokens(entry) : 0;
    }

    @Override
    public int fill(int entry, int[] masks, int offset, int wordsPerRow) {
      final int rows = rows(entry);
      final Grammar grammar = plan.state(entry).grammar;
      if (rows == 0 || grammar == null) {
        return 0;
      }
      int accepted = 0;
      boolean isKnown = true;
      for (int row = 0; row < rows; row++) {
        final boolean isLast = row == rows - 1;
        final int from = offset + row * wordsPerRow;
        if ((isKnown || isLast) && !grammar.isTerminated()) {
          grammar.fillMask(masks, from);
        } else {
          Arrays.fill(masks, from, from + wordsPerRow, ALL);
        }
        if (!isLast && isKnown) {
          final int draft = plan.tokenId(entry, row);
          isKnown = draft >= 0;
          if (isKnown && !grammar.isTerminated() && grammar.accept(draft)) {
            accepted++;
          }
        }
      }
      grammar.rollback(accepted);
      return rows;
    }
  }
}
