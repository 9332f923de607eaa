package dev.headway.api.request;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One generation request. Immutable, safe to share between threads.
 *
 * <p>The caller chooses the id: it identifies the request in handles, probes and files, and must be
 * unique among the live requests of an engine.
 */
public final class Request {

  /** Most characters of an id, a tenant, an adapter's name: all are repeated in every record. */
  public static final int MAX_NAME_CHARS = 256;

  /** Most holds of a request. */
  public static final int MAX_HOLDS = 31;

  private final String id;
  private final int[] promptTokenIds;
  private final int largestPromptTokenId;
  private final StopRule stopRule;
  private final SamplingParams sampling;
  private final int priority;
  private final @Nullable String tenant;
  private final @Nullable String cacheSalt;
  private final PrefixReuse prefixReuse;
  private final RequestTimeouts timeouts;
  private final @Nullable LoraAdapter lora;
  private final KvReport kvReport;
  private final @Nullable KvCacheRetention kvCacheRetention;
  private final @Nullable Duration ttftTarget;
  private final @Nullable String traceParent;
  private final List<Hold> holds;
  private final @Nullable CompletionStage<Grammar> grammar;
  private final List<MultiModalItem> items;
  private final boolean resumable;
  private final @Nullable Duration inputTimeout;
  private final int[] forcedTokenIds;
  private final int streamInterval;
  private final Map<String, String> kvTransferParams;

  private Request(Builder builder) {
    this.id = builder.id;
    this.promptTokenIds = builder.promptTokenIds;
    this.largestPromptTokenId = builder.largestPromptTokenId;
    this.stopRule = Objects.requireNonNull(builder.stopRule);
    this.sampling = builder.sampling;
    this.priority = builder.priority;
    this.tenant = builder.tenant;
    this.cacheSalt = builder.cacheSalt;
    this.prefixReuse = builder.prefixReuse;
    this.timeouts = builder.timeouts;
    this.lora = builder.lora;
    this.kvReport = builder.kvReport;
    this.kvCacheRetention = builder.kvCacheRetention;
    this.ttftTarget = builder.ttftTarget;
    this.traceParent = builder.traceParent;
    this.holds = builder.holds;
    this.grammar = builder.grammar;
    this.items = builder.items;
    this.resumable = builder.resumable;
    this.inputTimeout = builder.inputTimeout;
    this.forcedTokenIds = builder.forcedTokenIds;
    this.streamInterval = builder.streamInterval;
    this.kvTransferParams = builder.kvTransferParams;
  }

  private Request(Request session, int[] promptTokenIds, SessionInput input) {
    this.id = session.id;
    this.promptTokenIds = promptTokenIds;
    this.largestPromptTokenId = Arrays.stream(promptTokenIds).max().orElseThrow();
    this.stopRule = input.stopRule();
    this.sampling = session.sampling;
    this.priority = session.priority;
    this.tenant = session.tenant;
    this.cacheSalt = session.cacheSalt;
    this.prefixReuse = session.prefixReuse;
    this.timeouts = session.timeouts;
    this.lora = session.lora;
    this.kvReport = session.kvReport;
    this.kvCacheRetention = session.kvCacheRetention;
    this.ttftTarget = session.ttftTarget;
    this.traceParent = session.traceParent;
    this.holds = session.holds;
    this.grammar = session.grammar;
    this.items = withItemsOf(input, promptTokenIds.length - input.tokens(), session.items);
    this.resumable = true;
    this.inputTimeout = session.inputTimeout;
    this.forcedTokenIds = session.forcedTokenIds;
    this.streamInterval = session.streamInterval;
    this.kvTransferParams = session.kvTransferParams;
  }

  /**
   * Starts a request.
   *
   * @param id not blank, at most {@value #MAX_NAME_CHARS} characters; unique among the engine's
   *     live requests
   * @param promptTokenIds at least one token; copied
   * @throws IllegalArgumentException if {@code id} is blank or too long, the prompt is empty or a
   *     token id is negative
   */
  public static Builder builder(String id, int... promptTokenIds) {
    return new Builder(id, promptTokenIds);
  }

  /** The caller's name for this request. */
  public String id() {
    return id;
  }

  /** Number of prompt tokens, >= 1. */
  public int promptTokens() {
    return promptTokenIds.length;
  }

  /** The largest token id of the prompt; every vocabulary must have it. */
  public int largestPromptTokenId() {
    return largestPromptTokenId;
  }

  /** Returns the prompt token at {@code position} in [0, promptTokens). */
  public int promptTokenId(int position) {
    return promptTokenIds[position];
  }

  /**
   * Copies prompt tokens.
   *
   * @param from first position, in [0, promptTokens)
   * @param target receives {@code length} ids from {@code offset} on
   */
  public void copyPromptTokenIds(int from, int[] target, int offset, int length) {
    System.arraycopy(promptTokenIds, from, target, offset, length);
  }

  /** When generation ends. */
  public StopRule stopRule() {
    return stopRule;
  }

  /** How the executor picks tokens. */
  public SamplingParams sampling() {
    return sampling;
  }

  /** Smaller is more important; only looked at under {@code QueuePolicy.PRIORITY}. */
  public int priority() {
    return priority;
  }

  /**
   * The tenant that the request is accounted to, for fairness and reports; null if none was given.
   */
  public @Nullable String tenant() {
    return tenant;
  }

  /**
   * Requests share cached prefixes only with requests of the same salt; null for none, never "".
   */
  public @Nullable String cacheSalt() {
    return cacheSalt;
  }

  /** Whether cached prefixes may be used. */
  public PrefixReuse prefixReuse() {
    return prefixReuse;
  }

  /**
   * How long after submission the request ends with {@link FinishReason#DEADLINE}; null for no
   * timeout.
   */
  public @Nullable Duration timeout() {
    return timeouts.total();
  }

  /**
   * How long it may take, in all and by phase; where it says nothing the engine's defaults hold.
   */
  public RequestTimeouts timeouts() {
    return timeouts;
  }

  /** The adapter it runs with; null for the base model. */
  public @Nullable LoraAdapter lora() {
    return lora;
  }

  /** Target time to first token, from submission; only policies read it; null for none. */
  public @Nullable Duration ttftTarget() {
    return ttftTarget;
  }

  /** The W3C {@code traceparent} of the trace it belongs to; null if it belongs to none. */
  public @Nullable String traceParent() {
    return traceParent;
  }

  /** What must have happened before it may be admitted; most often nothing. */
  public List<Hold> holds() {
    return holds;
  }

  /** What its outputs must look like, once it is compiled; null if they may be anything. */
  public @Nullable CompletionStage<Grammar> grammar() {
    return grammar;
  }

  /**
   * Whether it is a session: where another request ends, it keeps its KV blocks and waits for
   * further input.
   */
  public boolean isResumable() {
    return resumable;
  }

  /**
   * How long a session may wait for input before it ends with {@link FinishReason#HOLD_TIMEOUT};
   * null for no timeout.
   */
  public @Nullable Duration inputTimeout() {
    return inputTimeout;
  }

  /** How many outputs are given beforehand; 0 if the executor samples them, as usual. */
  public int forcedTokens() {
    return forcedTokenIds.length;
  }

  /** Returns the output that is given for {@code index} in [0, forcedTokens). */
  public int forcedTokenId(int index) {
    return forcedTokenIds[index];
  }

  /** Of how many tokens its listener is notified at a time, >= 1; 0 for the engine's default. */
  public int streamInterval() {
    return streamInterval;
  }

  /**
   * Returns this session's request as of its next turn; for schedulers.
   *
   * @param promptTokenIds all that the turn begins with, the latest input last; not copied
   * @param input its latest input, which is at the end of them
   */
  public Request nextTurn(int[] promptTokenIds, SessionInput input) {
    return new Request(this, promptTokenIds, input);
  }

  private static List<MultiModalItem> withItemsOf(
      SessionInput input, int offset, List<MultiModalItem> before) {
    if (input.items().isEmpty()) {
      return before;
    }
    final List<MultiModalItem> all = new ArrayList<>(before);
    input.items().forEach(item -> all.add(item.shiftedBy(offset)));
    return List.copyOf(all);
  }

  /**
   * What the engine's KV connector is to know of it, by names of the connector's own; empty for
   * nothing. Immutable.
   */
  public Map<String, String> kvTransferParams() {
    return kvTransferParams;
  }

  /** Which KV events are reported for it. */
  public KvReport kvReport() {
    return kvReport;
  }

  /** How long its blocks are to stay in the prefix cache; null for no wish. */
  public @Nullable KvCacheRetention kvCacheRetention() {
    return kvCacheRetention;
  }

  /** Its images and the like, in the order of their places; empty for none. Immutable. */
  public List<MultiModalItem> items() {
    return items;
  }

  /** Requires a name to be short enough for records and log lines. */
  static void requireShort(String what, String name) {
    if (name.length() > MAX_NAME_CHARS) {
      throw new IllegalArgumentException(
          what
              + " must be at most "
              + MAX_NAME_CHARS
              + " characters: length="
              + name.length()
              + ", begins with '"
              + name.substring(0, 32)
              + "'");
    }
  }

  @Override
  public String toString() {
    return "Request[id=" + id + ", promptTokens=" + promptTokens() + ", " + stopRule + "]";
  }

  /** Collects the options of a {@link Request}. Not thread-safe. */
  public static final class Builder {

    private final String id;
    private final int[] promptTokenIds;
    private int largestPromptTokenId;
    private @Nullable StopRule stopRule;
    private SamplingParams sampling = SamplingParams.GREEDY;
    private int priority;
    private @Nullable String tenant;
    private @Nullable String cacheSalt;
    private PrefixReuse prefixReuse = PrefixReuse.ALLOWED;
    private RequestTimeouts timeouts = RequestTimeouts.NONE;
    private @Nullable LoraAdapter lora;
    private KvReport kvReport = KvReport.INCREMENTAL;
    private @Nullable KvCacheRetention kvCacheRetention;
    private @Nullable Duration ttftTarget;
    private @Nullable String traceParent;
    private List<Hold> holds = List.of();
    private @Nullable CompletionStage<Grammar> grammar;
    private List<MultiModalItem> items = List.of();
    private boolean resumable;
    private @Nullable Duration inputTimeout;
    private int[] forcedTokenIds = {};
    private int streamInterval;
    private Map<String, String> kvTransferParams = Map.of();

    private Builder(String id, int[] promptTokenIds) {
      if (id.isBlank()) {
        throw new IllegalArgumentException("request id must not be blank: id='" + id + "'");
      }
      requireShort("request id", id);
      if (promptTokenIds.length == 0) {
        throw new IllegalArgumentException(
            "prompt must have at least one token: id=" + id + ", promptTokens=0");
      }
      this.id = id;
      this.promptTokenIds = promptTokenIds.clone();
      for (int position = 0; position < this.promptTokenIds.length; position++) {
        if (this.promptTokenIds[position] < 0) {
          throw new IllegalArgumentException(
              "prompt token ids must be >= 0: id="
                  + id
                  + ", position="
                  + position
                  + ", tokenId="
                  + this.promptTokenIds[position]);
        }
        largestPromptTokenId = Math.max(largestPromptTokenId, this.promptTokenIds[position]);
      }
    }

    /** Ends after this many outputs; the short form of {@link #stopRule}. */
    public Builder maxTokens(int maxTokens) {
      return stopRule(StopRule.maxTokens(maxTokens));
    }

    /** When generation ends. Required. */
    public Builder stopRule(StopRule stopRule) {
      this.stopRule = stopRule;
      return this;
    }

    /** How tokens are picked; {@link SamplingParams#GREEDY} unless set. */
    public Builder sampling(SamplingParams sampling) {
      this.sampling = sampling;
      return this;
    }

    /** Smaller is more important; 0 unless set. */
    public Builder priority(int priority) {
      this.priority = priority;
      return this;
    }

    /**
     * The tenant that the request is accounted to.
     *
     * @throws IllegalArgumentException if it is longer than {@value #MAX_NAME_CHARS} characters
     */
    public Builder tenant(String tenant) {
      requireShort("tenant", tenant);
      this.tenant = tenant;
      return this;
    }

    /** Restricts prefix sharing to requests of the same salt; an empty salt is no salt. */
    public Builder cacheSalt(String cacheSalt) {
      this.cacheSalt = cacheSalt.isEmpty() ? null : cacheSalt;
      return this;
    }

    /** Whether cached prefixes may be used; {@link PrefixReuse#ALLOWED} unless set. */
    public Builder prefixReuse(PrefixReuse prefixReuse) {
      this.prefixReuse = prefixReuse;
      return this;
    }

    /**
     * Ends the request this long after submission, waiting or running.
     *
     * @throws IllegalArgumentException unless positive
     */
    public Builder timeout(Duration timeout) {
      return timeouts(timeouts.withTotal(requirePositive("timeout", timeout)));
    }

    /**
     * Ends the request with {@link FinishReason#QUEUE_TIMEOUT} this long after submission unless it
     * has been admitted by then.
     *
     * @throws IllegalArgumentException unless positive
     */
    public Builder queueTimeout(Duration timeout) {
      return timeouts(timeouts.withQueue(requirePositive("queueTimeout", timeout)));
    }

    /**
     * Ends the request with {@link FinishReason#RUN_TIMEOUT} this long after its first admission,
     * whether it runs or waits again by then.
     *
     * @throws IllegalArgumentException unless positive
     */
    public Builder runTimeout(Duration timeout) {
      return timeouts(timeouts.withRun(requirePositive("runTimeout", timeout)));
    }

    /** All three at once; the engine's defaults unless set. */
    public Builder timeouts(RequestTimeouts timeouts) {
      this.timeouts = timeouts;
      return this;
    }

    private Duration requirePositive(String name, Duration timeout) {
      if (timeout.isNegative() || timeout.isZero()) {
        throw new IllegalArgumentException(
            name + " must be > 0: id=" + id + ", " + name + "=" + timeout);
      }
      return timeout;
    }

    /** Runs with this adapter. */
    public Builder lora(LoraAdapter lora) {
      this.lora = lora;
      return this;
    }

    /**
     * Sets the target time to first token, from submission.
     *
     * @throws IllegalArgumentException unless positive
     */
    public Builder ttftTarget(Duration target) {
      if (target.isNegative() || target.isZero()) {
        throw new IllegalArgumentException(
            "ttftTarget must be > 0: id=" + id + ", ttftTarget=" + target);
      }
      this.ttftTarget = target;
      return this;
    }

    /**
     * The W3C trace context header of the request: the one received with it, or that of the
     * server's span. Not parsed here but by the trace exporter.
     *
     * @throws IllegalArgumentException if it is longer than {@value #MAX_NAME_CHARS} characters
     */
    public Builder traceParent(String traceParent) {
      requireShort("traceParent", traceParent);
      this.traceParent = traceParent;
      return this;
    }

    /**
     * Holds the request back until something outside the scheduler has happened; in addition to
     * other holds, of which the first that is not over names its wait reason.
     *
     * @throws IllegalArgumentException if there are {@value #MAX_HOLDS} already
     */
    public Builder hold(Hold hold) {
      if (holds.size() == MAX_HOLDS) {
        throw new IllegalArgumentException(
            "a request must have at most " + MAX_HOLDS + " holds: id=" + id + ", hold=" + hold);
      }
      holds = Stream.concat(holds.stream(), Stream.of(hold)).toList();
      return this;
    }

    /**
     * Constrains the outputs. The request is held with {@link HoldReason#GRAMMAR} until the grammar
     * is compiled, which is for another thread to do, and ends with {@link
     * FinishReason#HOLD_FAILED} if that fails. An output that the grammar refuses ends it with
     * {@link FinishReason#GRAMMAR_REFUSED}, the output included; executors that read {@code
     * StepPlan.constraints} sample none.
     *
     * @param compiling completed with a grammar of this request alone
     * @param longest how long after submission the compilation may take; null for any time
     * @throws IllegalArgumentException if there is a grammar already, or too many holds
     */
    public Builder grammar(
        CompletionStage<? extends Grammar> compiling, @Nullable Duration longest) {
      if (grammar != null) {
        throw new IllegalArgumentException("a request must have at most one grammar: id=" + id);
      }
      grammar =
          compiling.thenApply(
              made -> Objects.requireNonNull(made, "a compiled grammar must not be null"));
      final Hold hold = Hold.until(HoldReason.GRAMMAR, grammar);
      return hold(longest == null ? hold : hold.withTimeout(longest));
    }

    /**
     * Sets what the prompt has besides text; nothing unless set.
     *
     * @param items in the order of their places in the prompt; copied
     * @throws IllegalArgumentException if one begins before the one in front ends, or ends behind
     *     the prompt
     */
    public Builder items(List<MultiModalItem> items) {
      MultiModalItem.requireInside("prompt: id=" + id + ", ", items, promptTokenIds.length);
      this.items = List.copyOf(items);
      return this;
    }

    /**
     * Makes it a session: it goes on with each {@link SessionInput} that it gets, until the end of
     * its input is announced. See {@code RequestHandle.append}.
     */
    public Builder resumable() {
      this.resumable = true;
      return this;
    }

    /**
     * Ends a session that waits for input for so long.
     *
     * @throws IllegalArgumentException unless positive
     */
    public Builder inputTimeout(Duration longest) {
      if (longest.isNegative() || longest.isZero()) {
        throw new IllegalArgumentException(
            "inputTimeout must be > 0: id=" + id + ", inputTimeout=" + longest);
      }
      this.inputTimeout = longest;
      return this;
    }

    /**
     * Gives the outputs beforehand, as recorded in another run: the request computes what it did
     * then, token by token, and ends with {@link FinishReason#LENGTH} when they are used up, unless
     * its stop rule ends it earlier. A stop rule that is not set is that alone.
     *
     * <p>{@code StepPlan.constraints} tells executors: they leave one token to each sampled
     * position; drafts are right where they are the tokens given. An executor that answers another
     * token ends the request with {@link FinishReason#GRAMMAR_REFUSED}.
     *
     * @param tokenIds at least one token; copied
     * @throws IllegalArgumentException if there is none, or one is negative
     */
    public Builder forcedTokens(int... tokenIds) {
      if (tokenIds.length == 0 || Arrays.stream(tokenIds).anyMatch(tokenId -> tokenId < 0)) {
        throw new IllegalArgumentException(
            "forcedTokens must be at least one token id >= 0: id="
                + id
                + ", forcedTokens="
                + tokenIds.length
                + ", smallest="
                + Arrays.stream(tokenIds).min().orElse(0));
      }
      this.forcedTokenIds = tokenIds.clone();
      return this;
    }

    /**
     * Notifies the listener of the first output at once, then of so many outputs together, and of
     * the last ones at the end; fewer wake-ups of the listening side. What journals and metrics say
     * of tokens stays as it is.
     *
     * @throws IllegalArgumentException unless >= 1
     */
    public Builder streamInterval(int tokens) {
      if (tokens < 1) {
        throw new IllegalArgumentException(
            "streamInterval must be >= 1: id=" + id + ", streamInterval=" + tokens);
      }
      this.streamInterval = tokens;
      return this;
    }

    /**
     * Tells the engine's KV connector where the request's KV comes from or goes to, as vLLM's
     * {@code kv_transfer_params}. An engine without a connector refuses a request that has any.
     *
     * @param params by names that the connector defines; copied
     */
    public Builder kvTransferParams(Map<String, String> params) {
      this.kvTransferParams = Map.copyOf(params);
      return this;
    }

    /** {@link KvReport#INCREMENTAL} unless set. */
    public Builder kvReport(KvReport kvReport) {
      this.kvReport = kvReport;
      return this;
    }

    /** How long its blocks are to stay in the prefix cache; no wish unless set. */
    public Builder kvCacheRetention(KvCacheRetention kvCacheRetention) {
      this.kvCacheRetention = Objects.requireNonNull(kvCacheRetention, "kvCacheRetention");
      return this;
    }

    /**
     * Returns the request.
     *
     * @throws IllegalArgumentException if no stop rule was given, or a timeout of input to a
     *     request that gets none
     */
    public Request build() {
      if (forcedTokenIds.length > 0) {
        requireForcible();
      }
      if (stopRule == null) {
        throw new IllegalArgumentException(
            "stopRule must be set, so that the request ends: id=" + id + "; call maxTokens(n)");
      }
      if (inputTimeout != null && !resumable) {
        throw new IllegalArgumentException(
            "only a session waits for input: id="
                + id
                + ", inputTimeout="
                + inputTimeout
                + "; call resumable()");
      }
      return new Request(this);
    }

    private void requireForcible() {
      if (stopRule == null) {
        stopRule = StopRule.maxTokens(forcedTokenIds.length);
      }
      if (stopRule.maxTokens() > forcedTokenIds.length) {
        throw new IllegalArgumentException(
            "forcedTokens must be as many as the stop rule allows: id="
                + id
                + ", forcedTokens="
                + forcedTokenIds.length
                + ", maxTokens="
                + stopRule.maxTokens());
      }
      if (grammar != null || resumable) {
        throw new IllegalArgumentException(
            "a request with forcedTokens must have no grammar and be no session: id=" + id);
      }
    }
  }
}
