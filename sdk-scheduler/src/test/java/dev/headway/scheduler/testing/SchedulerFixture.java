package dev.headway.scheduler.testing;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.api.config.AdmissionOptions;
import dev.headway.api.config.ChunkedPrefill;
import dev.headway.api.config.Compatibility;
import dev.headway.api.config.FullSequenceGate;
import dev.headway.api.config.PrefixCacheOptions;
import dev.headway.api.config.QueuePolicy;
import dev.headway.api.config.SchedulerConfig;
import dev.headway.api.config.SchedulerLimits;
import dev.headway.api.kvcache.KvCacheManager;
import dev.headway.api.kvcache.KvCacheShape;
import dev.headway.api.kvcache.KvGroup;
import dev.headway.api.kvcache.connector.KvConnector;
import dev.headway.api.policy.Policies;
import dev.headway.api.probe.Probe;
import dev.headway.api.request.FinishReason;
import dev.headway.api.request.Hold;
import dev.headway.api.request.Request;
import dev.headway.api.request.RequestView;
import dev.headway.api.request.SessionInput;
import dev.headway.api.request.StopRule;
import dev.headway.api.schedule.BlockFence;
import dev.headway.api.schedule.OutputListener;
import dev.headway.api.schedule.ResetScope;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.scheduler.probes.ProbeDispatcher;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler with plenty of everything, so that a test says only what is short: {@code
 * fixture().blocks(4).running("old", 32)}. Options come before requests. Prompts are all different
 * unless given; the executor answers {@link #TOKEN} unless told otherwise.
 */
public final class SchedulerFixture implements OutputListener {

  /** What the executor answers when nobody says otherwise. */
  public static final int TOKEN = 1;

  /** Token ids are below this. */
  public static final int VOCABULARY = 1_000_000;

  /** How a request ended. */
  public record Ended(FinishReason reason, long stopTokenId, Throwable cause) {

    /** An end that nothing but its reason tells of. */
    public static Ended with(FinishReason reason) {
      return new Ended(reason, ABSENT, null);
    }
  }

  private final ProbeLog log = new ProbeLog();
  private final Map<String, RequestView> requests = new LinkedHashMap<>();
  private final Map<String, List<Integer>> outputs = new HashMap<>();
  private final Map<String, List<FinishReason>> turns = new HashMap<>();
  private final Map<String, Ended> ended = new HashMap<>();
  private final Map<String, Deque<Integer>> answers = new HashMap<>();
  private List<KvGroup> groups = List.of();
  private int usableBlocks = 1_000;
  private int blockTokens = 4;
  private int maxNumSeqs = 100;
  private int maxNumBatchedTokens = 10_000;
  private int maxModelLen = 1_000;
  private int longPrefillTokenThreshold;
  private double watermark;
  private FullSequenceGate gate = FullSequenceGate.WHOLE_SEQUENCE;
  private ChunkedPrefill chunkedPrefill = ChunkedPrefill.ENABLED;
  private PrefixCacheOptions prefixCache = PrefixCacheOptions.DEFAULT;
  private QueuePolicy queuePolicy = QueuePolicy.FCFS;
  private Compatibility compatibility = Compatibility.HEADWAY;
  private UnaryOperator<SchedulerConfig.Builder> settings = UnaryOperator.identity();
  private Policies policies = Policies.NONE;
  private @Nullable KvConnector connector;
  private UnaryOperator<KvCacheManager> kvCache = kv -> kv;
  private final List<Probe> moreProbes = new ArrayList<>();
  private SyncDriver driver;
  private StepPlan planOut;
  private PlanCopy plan;

  /** Starts a fixture. */
  public static SchedulerFixture fixture() {
    return new SchedulerFixture();
  }

  /** {@code count} token ids that no other {@code number} gives. */
  public static int[] text(int number, int count) {
    final int[] tokens = new int[count];
    Arrays.setAll(tokens, i -> 1_000 + 1_000 * number + i);
    return tokens;
  }

  /** Blocks that requests can hold. */
  public SchedulerFixture blocks(int usable) {
    usableBlocks = usable;
    return this;
  }

  /** Tokens per block; 4 unless set. */
  public SchedulerFixture blockTokens(int tokens) {
    blockTokens = tokens;
    return this;
  }

  /** Layers of several kinds; one group with full attention unless set. */
  public SchedulerFixture groups(KvGroup... kinds) {
    groups = List.of(kinds);
    return this;
  }

  /** Seats. */
  public SchedulerFixture maxNumSeqs(int seqs) {
    maxNumSeqs = seqs;
    return this;
  }

  /** Token budget of a step. */
  public SchedulerFixture maxNumBatchedTokens(int tokens) {
    maxNumBatchedTokens = tokens;
    return this;
  }

  /** Context length. */
  public SchedulerFixture maxModelLen(int tokens) {
    maxModelLen = tokens;
    return this;
  }

  /** Cap of one request's tokens in a step. */
  public SchedulerFixture longPrefillTokenThreshold(int tokens) {
    longPrefillTokenThreshold = tokens;
    return this;
  }

  /** Blocks kept free at admissions while anything runs. */
  public SchedulerFixture watermarkBlocks(int blocks) {
    watermark = (blocks + 0.5) / (usableBlocks + 1);
    return this;
  }

  /** Admits as soon as the next chunk fits. */
  public SchedulerFixture withoutGate() {
    gate = FullSequenceGate.NEXT_CHUNK;
    return this;
  }

  /** Admits whole prompts only. */
  public SchedulerFixture withoutChunkedPrefill() {
    chunkedPrefill = ChunkedPrefill.DISABLED;
    return this;
  }

  /** Shares nothing. */
  public SchedulerFixture withoutCaching() {
    prefixCache = PrefixCacheOptions.disabled();
    return this;
  }

  /** Smaller numbers first. */
  public SchedulerFixture byPriority() {
    queuePolicy = QueuePolicy.PRIORITY;
    return this;
  }

  /** Keeps vLLM's dead ends. */
  public SchedulerFixture likeVllm() {
    compatibility = Compatibility.VLLM_0_28;
    return this;
  }

  /** Options that have no method of their own here. */
  public SchedulerFixture settings(UnaryOperator<SchedulerConfig.Builder> more) {
    settings = more;
    return this;
  }

  /** Decisions that are replaced. */
  public SchedulerFixture policies(Policies given) {
    policies = given;
    return this;
  }

  /** Where KV comes from and goes to. */
  public SchedulerFixture connector(KvConnector given) {
    connector = given;
    return this;
  }

  /** A cache in front of the default one. */
  public SchedulerFixture kvCache(UnaryOperator<KvCacheManager> front) {
    kvCache = front;
    return this;
  }

  /** A probe that hears everything beside the log. */
  public SchedulerFixture probe(Probe probe) {
    moreProbes.add(probe);
    return this;
  }

  /** Adds a request with a prompt of so many tokens of its own. */
  public SchedulerFixture waiting(String id, int promptTokens) {
    return waiting(request(id, text(requests.size(), promptTokens)));
  }

  /** Adds a request. */
  public SchedulerFixture waiting(Request.Builder builder) {
    final Request request = builder.build();
    final long nowNs = driver().tick();
    outputs.put(request.id(), new ArrayList<>());
    requests.put(request.id(), driver().scheduler().add(request, this, nowNs));
    return this;
  }

  /** A request with this prompt that goes on for long. */
  public static Request.Builder request(String id, int... prompt) {
    return Request.builder(id, prompt).maxTokens(500);
  }

  /** A request that ends by this rule. */
  public static Request.Builder request(String id, StopRule rule, int... prompt) {
    return Request.builder(id, prompt).stopRule(rule);
  }

  /** Adds a request and runs one step, in which its whole prompt is computed. */
  public SchedulerFixture running(String id, int promptTokens) {
    return waiting(id, promptTokens).step();
  }

  /** Adds a request and runs one step. */
  public SchedulerFixture running(Request.Builder builder) {
    return waiting(builder).step();
  }

  /** What the executor answers for a request, one after the other. */
  public SchedulerFixture answers(String id, Integer... tokens) {
    answers.computeIfAbsent(id, key -> new ArrayDeque<>()).addAll(List.of(tokens));
    return this;
  }

  /** Runs a whole step. */
  public SchedulerFixture step() {
    return schedule().update();
  }

  /** Runs whole steps. */
  public SchedulerFixture steps(int count) {
    for (int i = 0; i < count; i++) {
      step();
    }
    return this;
  }

  /** The first half of a step. */
  public SchedulerFixture schedule() {
    planOut = driver().schedule();
    plan = PlanCopy.of(planOut);
    return this;
  }

  /** The first half of a step that computes no prompts while others decode. */
  public SchedulerFixture scheduleThrottled() {
    planOut = driver().scheduleThrottled();
    plan = PlanCopy.of(planOut);
    return this;
  }

  /** The second half of a step. */
  public SchedulerFixture update() {
    return update(this::answerAll);
  }

  /** The second half of a step, answered as told. */
  public SchedulerFixture update(SyncDriver.Answer answer) {
    driver().update(planOut, answer);
    return this;
  }

  /** Gives the step up. */
  public SchedulerFixture fail(Throwable cause, BlockFence fence) {
    driver().scheduler().fail(planOut, cause, fence);
    return this;
  }

  /** Fills in the default answer of every entry that samples. */
  public void answerAll(StepPlan step, StepOutput output) {
    for (int entry = 0; entry < step.size(); entry++) {
      if (step.samples(entry)) {
        output.addToken(entry, nextAnswer(step.request(entry).id()));
      }
    }
  }

  private int nextAnswer(String id) {
    final Deque<Integer> given = answers.get(id);
    return given == null || given.isEmpty() ? TOKEN : given.remove();
  }

  /** Ends a request from outside; returns whether it was alive. */
  public boolean finish(String id, FinishReason reason) {
    return driver().scheduler().finish(view(id), reason, null);
  }

  /** A hold of a request is over. */
  public SchedulerFixture release(String id, Hold hold) {
    driver().tick();
    driver().scheduler().release(view(id), hold);
    return this;
  }

  /** A session gets further input. */
  public SchedulerFixture append(String id, StopRule rule, int... tokens) {
    final long nowNs = driver().tick();
    driver().scheduler().append(view(id), SessionInput.of(rule, tokens), nowNs);
    return this;
  }

  /** A session gets no more input. */
  public SchedulerFixture endInput(String id) {
    driver().scheduler().endInput(view(id));
    return this;
  }

  /** How the turns of a session ended that have another behind them. */
  public List<FinishReason> turns(String id) {
    return turns.getOrDefault(id, List.of());
  }

  /** Forgets cached prefixes; returns whether that was done. */
  public boolean reset(ResetScope scope) {
    return driver().scheduler().resetPrefixCache(scope);
  }

  /** The latest plan. */
  public PlanCopy plan() {
    return plan;
  }

  /** The latest plan itself. */
  public StepPlan planOut() {
    return planOut;
  }

  /** The live view of a request. */
  public RequestView view(String id) {
    return Objects.requireNonNull(requests.get(id), id);
  }

  /** What a request has generated. */
  public List<Integer> outputs(String id) {
    return Objects.requireNonNull(outputs.get(id), id);
  }

  /** How a request ended, or null. */
  public Ended ended(String id) {
    return ended.get(id);
  }

  /** Ids of the running requests in order of admission. */
  public List<String> runningIds() {
    final List<String> ids = new ArrayList<>();
    driver().scheduler().inspect().forEachRunning(request -> ids.add(request.id()));
    return ids;
  }

  /** Ids of the waiting requests in the order of their admission. */
  public List<String> waitingIds() {
    final List<String> ids = new ArrayList<>();
    driver().scheduler().inspect().forEachWaiting(request -> ids.add(request.id()));
    return ids;
  }

  /** Everything the probe heard. */
  public ProbeLog log() {
    return log;
  }

  /** Scheduler and cache; options cannot be changed after the first call. */
  public SyncDriver driver() {
    if (driver == null) {
      final SchedulerConfig.Builder builder =
          SchedulerConfig.builder(
                  SchedulerLimits.builder()
                      .maxNumSeqs(maxNumSeqs)
                      .maxNumBatchedTokens(maxNumBatchedTokens)
                      .maxModelLen(maxModelLen)
                      .build())
              .chunkedPrefill(chunkedPrefill)
              .longPrefillTokenThreshold(longPrefillTokenThreshold)
              .queuePolicy(queuePolicy)
              .prefixCache(prefixCache)
              .admission(new AdmissionOptions(gate, watermark))
              .compatibility(compatibility);
      final SchedulerConfig config = settings.apply(builder).build();
      final KvCacheShape shape =
          groups.isEmpty()
              ? KvCacheShape.builder().blockSize(blockTokens).blocks(usableBlocks + 1).build()
              : KvCacheShape.builder()
                  .blockSize(blockTokens)
                  .blocks(usableBlocks + 1)
                  .groups(groups)
                  .build();
      moreProbes.addFirst(log);
      final Probe probe = moreProbes.size() == 1 ? log : new ProbeDispatcher(moreProbes);
      driver = new SyncDriver(config, shape, VOCABULARY, probe, policies, kvCache, connector);
    }
    return driver;
  }

  @Override
  public void onTokens(RequestView request, int count, long nowNs) {
    for (int i = request.knownTokens() - count; i < request.knownTokens(); i++) {
      outputs(request.id()).add(request.tokenId(i));
    }
  }

  @Override
  public void onTurnEnded(RequestView request, FinishReason reason, long stopTokenId, long nowNs) {
    turns.computeIfAbsent(request.id(), id -> new ArrayList<>()).add(reason);
  }

  @Override
  public void onFinished(
      RequestView request, FinishReason reason, long stopTokenId, Throwable cause, long nowNs) {
    final Ended before = ended.put(request.id(), new Ended(reason, stopTokenId, cause));
    if (before != null) {
      throw new IllegalStateException("ended twice: id=" + request.id() + ", before=" + before);
    }
  }
}
