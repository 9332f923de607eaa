package dev.headway.faultsim.simulation;

import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.Request;
import dev.headway.api.request.SessionInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The turns of a session as its caller knows them. A turn ends once, where its stop rule says; the
 * next one begins with the tokens of the one before, without the last if that was never computed,
 * and the next input.
 */
final class TrackedSession {

  private final int maxModelLen;

  /** Whether the last token of a turn may have been computed, by drafts or a step planned ahead. */
  private final boolean computesLast;

  private final @Nullable Duration inputTimeout;

  /** In the order in which they were taken. */
  private final List<SessionInput> inputs = new ArrayList<>();

  private boolean isInputEnded;
  private int turnsBegun = 1;
  private int turnsEnded;
  private long idleSinceNs;

  TrackedSession(Request request, int maxModelLen, boolean computesLast) {
    this.maxModelLen = maxModelLen;
    this.computesLast = computesLast;
    inputTimeout = request.inputTimeout();
  }

  /** It was given an input. */
  void append(SessionInput input) {
    inputs.add(input);
  }

  /** Inputs so far. */
  int inputs() {
    return inputs.size();
  }

  /** It gets no more input. */
  void endInput() {
    isInputEnded = true;
  }

  boolean isInputEnded() {
    return isInputEnded;
  }

  /** Whether its latest turn is over. */
  boolean isBetweenTurns() {
    return turnsEnded == turnsBegun;
  }

  /** A turn has ended: returns what is wrong with that, or null. */
  @Nullable String endTurn(Turn turn, TurnOutcome outcome) {
    if (isBetweenTurns() || outcome.index() != turnsEnded) {
      return "the turns of a session must end once each, in order: begun="
          + turnsBegun
          + ", ended="
          + turnsEnded;
    }
    turnsEnded++;
    idleSinceNs = outcome.endedNs();
    final int prompt = turn.request.promptTokens();
    return outcome.reason() == turn.endReason
            && Arrays.equals(
                outcome.outputTokenIds(), Arrays.copyOfRange(turn.tokens, prompt, turn.endTokens()))
        ? null
        : "a turn must end where its stop rule says, with its tokens";
  }

  /** The engine has begun another turn behind one: returns what is wrong with it, or null. */
  @Nullable String beginTurn(Turn before, Request begun) {
    if (!isBetweenTurns() || inputs.size() < turnsBegun) {
      return "a turn must begin behind one that has ended, with an input: begun=" + turnsBegun;
    }
    final SessionInput input = inputs.get(turnsBegun - 1);
    turnsBegun++;
    final int kept = begun.promptTokens() - input.tokens();
    final boolean isRight = kept == before.endTokens() - 1;
    if (!isRight && !(computesLast && kept == before.endTokens())) {
      return "a turn must begin behind the computed tokens: kept="
          + kept
          + ", known="
          + before.endTokens();
    }
    final int[] prompt = Arrays.copyOf(before.tokens, begun.promptTokens());
    input.copyTokenIds(prompt, kept);
    final int[] actual = new int[prompt.length];
    begun.copyPromptTokenIds(0, actual, 0, actual.length);
    return Arrays.equals(prompt, actual)
            && begun.items().equals(items(before.request, input, kept))
            && begun.stopRule().equals(input.stopRule())
        ? null
        : "a turn must begin with all so far and its input, and end by that one's rule";
  }

  private static List<MultiModalItem> items(Request before, SessionInput input, int kept) {
    final List<MultiModalItem> items = new ArrayList<>(before.items());
    input.items().forEach(item -> items.add(item.shiftedBy(kept)));
    return items;
  }

  /** Whether it may have ended of its own, as its turn has. */
  boolean mayEndAsItsTurn() {
    return isInputEnded && inputs.size() == turnsBegun - 1;
  }

  /** Whether it waits for its next turn with an input that may not fit into the context. */
  boolean mayBeTooLong(Turn turn) {
    if (!isBetweenTurns() || inputs.size() < turnsBegun) {
      return false;
    }
    final SessionInput next = inputs.get(turnsBegun - 1);
    final long most = (long) turn.endTokens() - (computesLast ? 0 : 1) + next.tokens();
    return most >= maxModelLen || most + next.stopRule().minTokens() > maxModelLen;
  }

  /** When it ends for want of input. */
  long deadlineNs() {
    if (inputTimeout == null || inputs.size() >= turnsEnded) {
      return Long.MAX_VALUE;
    }
    final long longest = TimeUnit.NANOSECONDS.convert(inputTimeout);
    return idleSinceNs + Math.min(longest, Long.MAX_VALUE - idleSinceNs);
  }

  @Override
  public String toString() {
    return "{begun="
        + turnsBegun
        + ", ended="
        + turnsEnded
        + ", inputs="
        + inputs.size()
        + (isInputEnded ? ", no more" : "")
        + "}";
  }
}
