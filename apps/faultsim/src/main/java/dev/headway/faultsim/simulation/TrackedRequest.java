package dev.headway.faultsim.simulation;

import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.engine.TurnOutcome;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.step.TokenLogprobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A request and what becomes of it. Its own listener, which checks its tokens. */
final class TrackedRequest implements TokenListener {

  static final int NEVER = Integer.MIN_VALUE;

  /** A listener that throws at the end of a turn. */
  static final int AT_A_TURN = -2;

  private final World world;
  private final int maxModelLen;
  final Request request;

  /** Its turn if it is a session, as far as the simulation knows; else all of it. */
  Turn turn;

  /** Its turns, or null if it is no session. */
  final @Nullable TrackedSession session;

  /** The engine's view, once it was queued. */
  @Nullable RequestView view;

  /** What the engine's view said of its request when it was looked at last. */
  private @Nullable Request seen;

  /** Whether its next admission goes on in the blocks that it has. */
  boolean keepsBlocks;

  /** Output index at which its listener throws; -1 at the end, {@link #AT_A_TURN}. */
  int throwsAt = NEVER;

  /** Whether it throws when it gets the log-probabilities rather than the token. */
  boolean throwsInLogprobs;

  /** Whether its listener gives it input, or ends that, when a turn ends. */
  boolean conversesAtTurns;

  /** Output index at which its listener uses the engine. */
  int busyAt = NEVER;

  @Nullable RequestHandle handle;
  boolean isCancelled;
  boolean isStopped;
  boolean hasThrown;

  /** Steps up to this one may stand on an output that never came. */
  long lostThrough;

  /** Known tokens of the request as the executor knows them, with outputs on their way. */
  int executorKnown;

  /** Position at which the executor began after its latest admission. */
  int executorFrom;

  /** Whether the executor has had drafts of it since. */
  boolean hasDrafted;

  /** It must have ended when a step ends that began behind this one. */
  long mustEndBehind = Long.MAX_VALUE;

  /** The most tokens it had computed when it was preempted. */
  int mostComputed;

  /** Outputs of steps up to this one are void: the cache was reset. */
  long voidThrough;

  long deadlineNs = Long.MAX_VALUE;

  /** When it ends unless it was admitted by then. */
  long queueDeadlineNs = Long.MAX_VALUE;

  /** When it ends after its first admission. */
  long runDeadlineNs = Long.MAX_VALUE;

  boolean isAdmitted;

  /** What holds it still, of its own list. */
  final List<Hold> holds;

  boolean hasHoldFailed;
  long submittedNs;
  int outputs;
  int ends;
  int finishedEvents;
  int queuedEvents;

  /** Plans that have told the executor of its end. */
  int toldFinished;

  boolean isPreempted;
  @Nullable RequestOutcome outcome;
  int stage;
  final WaitAccount wait = new WaitAccount();

  TrackedRequest(World world, Request request, Drawn drawn) {
    this.world = world;
    this.request = request;
    maxModelLen = drawn.config().limits().maxModelLen();
    holds = new ArrayList<>(request.holds());
    turn = new Turn(request, maxModelLen);
    session =
        request.isResumable()
            ? new TrackedSession(
                request, maxModelLen, drawn.has(Feature.ASYNC) || drawn.has(Feature.SPECULATION))
            : null;
  }

  /** The scheduler has queued it. */
  void queued(RequestView queued) {
    view = queued;
    seen = queued.request();
  }

  /** Finds out whether another turn has begun; returns the turn that it is in. */
  Turn turn() {
    if (session != null && view != null && view.request() != seen) {
      final Request begun = view.request();
      final String fault = session.beginTurn(turn, begun);
      if (fault != null) {
        violate(Rule.TURNS, fault + ": " + this + ", began=" + begun);
      }
      seen = begun;
      turn = new Turn(begun, maxModelLen);
      outputs = 0;
    }
    return turn;
  }

  /** A step admits a session that has kept its blocks. */
  void executorGoesOn() {
    lostThrough = 0;
  }

  /** A step admits it: it is computed from that position on, whatever was lost before. */
  void executorBegins(int position) {
    executorFrom = position;
    hasDrafted = false;
    lostThrough = 0;
  }

  /** It is submitted at an instant: notes when it must end. */
  void submitted(long nowNs) {
    submittedNs = nowNs;
    deadlineNs = after(nowNs, request.timeouts().total());
    queueDeadlineNs = after(nowNs, request.timeouts().queue());
  }

  /** A step that begins at this instant admits it. */
  void admitted(long nowNs) {
    if (!isAdmitted) {
      isAdmitted = true;
      runDeadlineNs = after(nowNs, request.timeouts().run());
      queueDeadlineNs = Long.MAX_VALUE;
    }
  }

  private static long after(long nowNs, @Nullable Duration longest) {
    return longest == null
        ? Long.MAX_VALUE
        : nowNs + Math.min(TimeUnit.NANOSECONDS.convert(longest), Long.MAX_VALUE - nowNs);
  }

  /** When a limit of its time ends it. */
  long firstDeadlineNs() {
    final long first = Math.min(deadlineNs, Math.min(queueDeadlineNs, runDeadlineNs));
    return session == null ? first : Math.min(first, session.deadlineNs());
  }

  boolean isHeld() {
    return !isDone() && !holds.isEmpty();
  }

  /** A hold of the pending ones is over. */
  void release(int pending) {
    stageOf(holds.remove(pending)).complete("done");
  }

  /** A hold of the pending ones can never be over. */
  void failHold(int pending) {
    hasHoldFailed = true;
    mustEndBehind(world.stepsBegun());
    stageOf(holds.remove(pending)).completeExceptionally(Fault.of("hold"));
  }

  @SuppressWarnings("unchecked") // as it was drawn
  private static CompletableFuture<Object> stageOf(Hold hold) {
    return (CompletableFuture<Object>) hold.until();
  }

  /** Whether a hold that was not over has lasted for too long at this instant. */
  boolean isHeldTooLong(long nowNs) {
    for (Hold hold : holds) {
      if (hold.timeout() != null
          && nowNs - submittedNs >= TimeUnit.NANOSECONDS.convert(hold.timeout())) {
        return true;
      }
    }
    return false;
  }

  boolean isDone() {
    return ends > 0;
  }

  boolean isRejected() {
    return outcome instanceof RequestOutcome.Rejected;
  }

  /** Notes that it must end before a step is planned behind the one that runs. */
  void mustEndBehind(long step) {
    mustEndBehind = Math.min(mustEndBehind, step);
  }

  @Override
  public void onLogprobs(int index, int tokenId, TokenLogprobs logprobs) {
    turn();
    if (ends > 0 || (!hasThrown && index != outputs) || request.sampling().logprobs().isEmpty()) {
      violate(
          Rule.TOKENS,
          "log-probabilities must come just before their token, if they were asked for: "
              + this
              + ", index="
              + index);
    }
    if (index == throwsAt && throwsInLogprobs) {
      throwOnce();
    }
  }

  @Override
  public void onToken(int index, int tokenId) {
    if (ends > 0) {
      violate(Rule.ONE_END, "no token after the end: " + this + ", index=" + index);
    }
    final int expected = turn().output(index);
    if (!hasThrown && index != outputs) {
      violate(Rule.TOKENS, "tokens must come in order: " + this + ", index=" + index);
    }
    outputs = index + 1;
    if (tokenId != expected) {
      violate(
          Rule.TOKENS,
          "a token must be that of the request alone with its own KV: "
              + this
              + ", index="
              + index
              + ", token="
              + tokenId
              + ", expected="
              + expected);
    }
    world.received(this, index, tokenId);
    if (index == busyAt) {
      world.useEngineFrom(this);
    }
    if (index == throwsAt && !throwsInLogprobs) {
      throwOnce();
    }
  }

  private void violate(Rule rule, String message) {
    world.rules().violate(rule, message);
  }

  private void throwOnce() {
    hasThrown = true;
    mustEndBehind(world.stepsBegun());
    world.faultHappened(Feature.THROWING_LISTENERS);
    throw Fault.of("listener");
  }

  @Override
  public void onTurnEnd(TurnOutcome ended) {
    if (session == null || ends > 0) {
      violate(Rule.TURNS, "only a session that goes on has turns: " + this + ", turn=" + ended);
      return;
    }
    final String fault = session.endTurn(turn(), ended);
    if (fault != null) {
      violate(Rule.TURNS, fault + ": " + this + ", turn=" + ended);
    }
    if (!hasThrown && outputs != ended.outputTokens()) {
      violate(
          Rule.TURNS,
          "a turn must end with the tokens of the listener: " + this + ", turn=" + ended);
    }
    world.turnEnded(this, ended);
    if (throwsAt == AT_A_TURN) {
      throwOnce();
    }
  }

  @Override
  public void onDone(RequestOutcome result) {
    ends++;
    if (ends > 1) {
      violate(Rule.ONE_END, "a request must end once: " + this + ", outcome=" + result);
      return;
    }
    outcome = result;
    world.ended(this);
    if (busyAt == -1) {
      world.useEngineFrom(this);
    }
    if (throwsAt == -1) {
      throwOnce();
    }
  }

  @Override
  public String toString() {
    return "id="
        + request.id()
        + ", promptTokens="
        + turn.request.promptTokens()
        + ", outputs="
        + outputs
        + ", endsAt="
        + turn.endOutputs
        + " by "
        + turn.endReason
        + (session == null ? "" : ", session=" + session);
  }
}
