package dev.headway.faultsim.simulation;

import dev.headway.api.engine.RequestHandle;
import dev.headway.api.engine.RequestOutcome;
import dev.headway.api.engine.TokenListener;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.MultiModalItem;
import dev.headway.api.request.RepetitionRule;
import dev.headway.api.request.Request;
import dev.headway.api.request.StopRule;
import dev.headway.api.step.TokenLogprobs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A request and all that must become of it: its tokens are a function of its prompt, its salt and
 * its adapter, so that its end is known beforehand. Its own listener, which checks them.
 */
final class TrackedRequest implements TokenListener {

  static final int NEVER = Integer.MIN_VALUE;

  /** Tokens beyond the end that steps may compute which are out when a request ends. */
  private static final int BEYOND = 32;

  private final World world;
  final Request request;

  /** Known and to come, as far as steps may compute them. */
  final int[] tokens;

  /** What the slot of each token stands for: the token behind all before it. */
  final long[] truth;

  /** Outputs at which its stop rule ends it, and how. */
  final int endOutputs;

  final FinishReason endReason;

  /** Output index at which its listener throws; -1 at the end. */
  int throwsAt = NEVER;

  /** Whether it throws when it gets the log-probabilities rather than the token. */
  boolean throwsInLogprobs;

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

  TrackedRequest(World world, Request request, int maxModelLen, int vocabulary) {
    this.world = world;
    this.request = request;
    holds = new ArrayList<>(request.holds());
    final int prompt = request.promptTokens();
    final StopRule rule = request.stopRule();
    final int most =
        Math.max(prompt, (int) Math.min((long) prompt + rule.maxTokens(), maxModelLen)) + BEYOND;
    int[] ids = new int[Math.min(most, prompt + 2 * BEYOND)];
    long[] slots = new long[ids.length];
    request.copyPromptTokenIds(0, ids, 0, prompt);
    long prefix =
        Dice.mix(hash(request.cacheSalt()), request.lora() == null ? 0 : request.lora().id());
    int count = 0;
    FinishReason reason = null;
    int size = 0;
    while (size < (reason == null ? most : Math.min(most, prompt + count + BEYOND))) {
      if (size == ids.length) {
        ids = Arrays.copyOf(ids, Math.min(most, 2 * size));
        slots = Arrays.copyOf(slots, ids.length);
      }
      if (size >= prompt) {
        ids[size] = (int) Long.remainderUnsigned(prefix, vocabulary);
        if (reason == null) {
          count++;
          reason = after(rule, ids, prompt, count, maxModelLen);
        }
      }
      prefix = Dice.mix(prefix, content(request, size, ids[size])) & (Long.MAX_VALUE >>> 1);
      slots[size++] = prefix;
    }
    tokens = ids;
    truth = slots;
    endOutputs = count;
    endReason = reason == null ? FinishReason.LENGTH : reason;
  }

  /** What a token stands for: placeholders of different images are equal. */
  private static long content(Request request, int position, int token) {
    for (MultiModalItem item : request.items()) {
      if (item.offset() <= position && position < item.end()) {
        return Dice.mix(item.hash().hashCode(), position - item.offset());
      }
    }
    return token + 1L;
  }

  private static long hash(@Nullable String salt) {
    return salt == null ? 1 : 2 + salt.hashCode();
  }

  /** How it ends after {@code count} outputs, or null: the rules one by one, from their page. */
  private static @Nullable FinishReason after(
      StopRule rule, int[] tokens, int prompt, int count, int maxModelLen) {
    if (count < rule.minTokens()) {
      return null;
    }
    final int token = tokens[prompt + count - 1];
    if (rule.isEos(token) || rule.isStopToken(token)) {
      return FinishReason.STOP;
    }
    if (count >= rule.maxTokens() || prompt + count >= maxModelLen) {
      return FinishReason.LENGTH;
    }
    return rule.repetitionRule().isPresent()
            && repeats(rule.repetitionRule().get(), tokens, prompt, prompt + count)
        ? FinishReason.REPETITION
        : null;
  }

  private static boolean repeats(RepetitionRule rule, int[] tokens, int prompt, int end) {
    for (int length = rule.minPatternTokens(); length <= rule.maxPatternTokens(); length++) {
      final int begin = end - length * rule.minCount();
      boolean same = begin >= prompt;
      for (int i = begin + length; same && i < end; i++) {
        same = tokens[i] == tokens[i - length];
      }
      if (same) {
        return true;
      }
    }
    return false;
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
    return Math.min(deadlineNs, Math.min(queueDeadlineNs, runDeadlineNs));
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
    if (!hasThrown && index != outputs) {
      violate(Rule.TOKENS, "tokens must come in order: " + this + ", index=" + index);
    }
    outputs = index + 1;
    final int expected = tokens[request.promptTokens() + index];
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
        + request.promptTokens()
        + ", outputs="
        + outputs
        + ", endsAt="
        + endOutputs
        + " by "
        + endReason;
  }
}
