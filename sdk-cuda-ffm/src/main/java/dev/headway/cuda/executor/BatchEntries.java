package dev.headway.cuda.executor;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.kernel.LoraKernels;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.plan.PlannedDrafts;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.TokenRules;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a step that can be run, copied from the live requests, and why the others cannot.
 * Engine thread fills it, the device thread reads it afterwards. Allocates nothing once its arrays
 * have grown.
 *
 * <p>What is numbered here are lanes: an entry is one, or, with drafts, one of its known tokens and
 * one of each draft, which decodes as if the tokens before it were known.
 */
final class BatchEntries {
  private static final int NO_MASK = -1;

  private final PlanCheck check;
  private final LastSamples lastSamples;
  private final BlockTables tables;
  private final int blockSize;
  private final AdapterSlots adapters;

  private int size;
  private @Nullable RuntimeException[] refusals = new RuntimeException[16];
  private SamplingParams[] sampling = new SamplingParams[16];
  private int[] firstRow = new int[16];
  private int[] count = new int[16];
  private int[] firstPosition = new int[16];
  private int[] carriedFrom = new int[16];
  private boolean[] samples = new boolean[16];
  private boolean[] ruled = new boolean[16];
  private int[] maskOf = new int[16];
  private int[] adapterOf = new int[16];
  private int[] entryOf = new int[16];
  private int[] draftsBefore = new int[16];
  private boolean[] proposed = new boolean[16];
  private int drafts; // of the entry that is copied
  private int proposals;

  private int rows;
  private int running;
  private int answering;
  private int penalised;
  private int ruledCount;
  private int changed;
  private int deviceLogprobs;
  private int hostLogprobs;
  private int decodes;
  private int adapted;
  private int[] tokens = new int[64];

  final TokenMasks masks;

  BatchEntries(
      PlanCheck check,
      LastSamples lastSamples,
      BlockTables tables,
      int blockSize,
      AdapterSlots adapters) {
    this.adapters = adapters;
    this.check = check;
    this.lastSamples = lastSamples;
    this.tables = tables;
    this.blockSize = blockSize;
    masks = new TokenMasks(check.vocabularySize());
  }

  /** Copies a plan. */
  void copy(StepPlan plan) {
    reserve(plan);
    size = 0;
    rows = 0;
    running = 0;
    answering = 0;
    penalised = 0;
    ruledCount = 0;
    changed = 0;
    masks.clear();
    deviceLogprobs = 0;
    hostLogprobs = 0;
    decodes = 0;
    adapted = 0;
    for (int entry = 0; entry < plan.size(); entry++) {
      entryOf[size] = entry;
      draftsBefore[size] = 0;
      refusals[size] = check.refuse(plan, entry);
      if (refusals[size] == null) {
        refusals[size] = copy(plan, entry, size);
      }
      if (refusals[size] == null) {
        accept(plan, entry);
      } else {
        size++;
      }
    }
  }

  /** Copies an entry to its first lane. */
  private @Nullable RuntimeException copy(StepPlan plan, int entry, int lane) {
    final PlannedRequest request = plan.request(entry);
    final int first = plan.computedTokens(entry);
    final int scheduled = plan.scheduledTokens(entry);
    final int blocks = (first + scheduled - 1) / blockSize + 1;
    final RuntimeException strayBlock = tables.read(plan, entry, blocks, check);
    if (strayBlock != null) {
      return strayBlock;
    }
    drafts = PlannedDrafts.count(plan, entry);
    final int wanted = scheduled - drafts;
    final int known = Math.min(wanted, request.knownTokens() - first);
    carriedFrom[lane] = LastSamples.NONE;
    if (known < wanted) {
      carriedFrom[lane] =
          known == wanted - 1 ? lastSamples.of(request.number(), entry) : LastSamples.NONE;
      if (carriedFrom[lane] == LastSamples.NONE) {
        return unknownToken(plan, entry);
      }
      tokens[rows + wanted - 1] = 0; // the device puts the carried token here
    }
    if (known > 0) {
      request.copyTokenIds(first, tokens, rows, known);
    }
    proposals = PlannedDrafts.copy(plan, entry, tokens, rows + wanted);
    RuntimeException foreign = check.refuseTokens(tokens, rows, known, first);
    if (foreign == null) {
      foreign = check.refuseTokens(tokens, rows + wanted, proposals, first + wanted);
    }
    return foreign != null || !plan.samples(entry) ? foreign : readRules(plan, entry, lane);
  }

  /** The last thing that may refuse an entry: masks that were added are used. */
  private @Nullable RuntimeException readRules(StepPlan plan, int entry, int lane) {
    final TokenBias bias = plan.request(entry).request().sampling().tokenBias();
    if (!bias.isNone()) {
      final RuntimeException foreign = check.refuseBias(bias);
      if (foreign != null) {
        return foreign;
      }
    }
    maskOf[lane] = NO_MASK;
    if (plan.constraints().rows(entry) > 0) {
      maskOf[lane] = masks.rows();
      return masks.add(plan, entry, 1 + drafts);
    }
    return null;
  }

  private static RuntimeException unknownToken(StepPlan plan, int entry) {
    return new IllegalStateException(
        "only the token sampled in the step before may be unknown: request='"
            + plan.request(entry).id()
            + "', knownTokens="
            + plan.request(entry).knownTokens()
            + ", computedTokens="
            + plan.computedTokens(entry)
            + ", scheduledTokens="
            + plan.scheduledTokens(entry)
            + ", previousStepId="
            + plan.previousStepId(entry));
  }

  private void accept(StepPlan plan, int entry) {
    tables.accept(plan, entry);
    final int first = plan.computedTokens(entry);
    final int known = plan.scheduledTokens(entry) - drafts;
    final int lane = size;
    addLane(plan, entry, known, first);
    for (int draft = 0; draft < drafts; draft++) {
      refusals[size] = null;
      carriedFrom[size] = LastSamples.NONE;
      maskOf[size] = maskOf[lane] == NO_MASK ? NO_MASK : maskOf[lane] + 1 + draft;
      entryOf[size] = entry;
      draftsBefore[size] = 1 + draft;
      proposed[size] = draft < proposals;
      addLane(plan, entry, 1, first + known + draft);
    }
  }

  private void addLane(StepPlan plan, int entry, int scheduled, int first) {
    final int lane = size++;
    sampling[lane] = plan.request(entry).request().sampling();
    firstRow[lane] = rows;
    count[lane] = scheduled;
    firstPosition[lane] = first;
    samples[lane] = plan.samples(entry);
    rows += scheduled;
    running++;
    answering += samples[lane] ? 1 : 0;
    penalised += isPenalised(lane) ? 1 : 0;
    ruled[lane] = samples[lane] && hasRules(plan, lane);
    ruledCount += ruled[lane] ? 1 : 0;
    changed += isChanged(lane) ? 1 : 0;
    deviceLogprobs += logprobsOnDevice(lane) ? 1 : 0;
    hostLogprobs += logprobsOnHost(lane) ? 1 : 0;
    decodes += scheduled == 1 ? 1 : 0;
    adapterOf[lane] = adapters.of(plan.request(entry).request().lora());
    adapted += adapterOf[lane] == LoraKernels.NO_ADAPTER ? 0 : 1;
  }

  private boolean hasRules(StepPlan plan, int lane) {
    final PlannedRequest request = plan.request(entryOf[lane]);
    return !sampling[lane].tokenBias().isNone()
        || TokenRules.forbidEnds(
            request.request().stopRule(), request.promptTokens(), nextPosition(lane));
  }

  private void reserve(StepPlan plan) {
    int lanes = plan.size();
    for (int entry = 0; entry < plan.size() && !plan.drafts().isEmpty(); entry++) {
      lanes += plan.drafts().count(entry);
    }
    if (refusals.length < lanes) {
      final int capacity = Math.max(lanes, 2 * refusals.length);
      refusals = new RuntimeException[capacity];
      sampling = new SamplingParams[capacity];
      firstRow = new int[capacity];
      count = new int[capacity];
      firstPosition = new int[capacity];
      carriedFrom = new int[capacity];
      samples = new boolean[capacity];
      ruled = new boolean[capacity];
      maskOf = new int[capacity];
      adapterOf = new int[capacity];
      entryOf = new int[capacity];
      draftsBefore = new int[capacity];
      proposed = new boolean[capacity];
    }
    if (tokens.length < plan.totalTokens()) {
      tokens = Arrays.copyOf(tokens, Math.max(plan.totalTokens(), 2 * tokens.length));
    }
  }

  /** Lanes of the plan, those of refused entries included. */
  int size() {
    return size;
  }

  /** The entry of the plan that a lane is of. */
  int entryOf(int lane) {
    return entryOf[lane];
  }

  /** How many drafts the lane takes for known, its own included; 0 for an entry's first lane. */
  int draftsBefore(int lane) {
    return draftsBefore[lane];
  }

  /** Whether a lane goes on with the token that was sampled in the one before: its draft. */
  boolean follows(int lane, int token) {
    return lane < size
        && draftsBefore[lane] > 0
        && proposed[lane]
        && tokens[firstRow[lane]] == token;
  }

  /** Copies the newest {@code length} of the drafts that a lane takes for known. */
  void copyDrafts(int lane, int length, int[] target, int at) {
    System.arraycopy(tokens, firstRow[lane] + 1 - length, target, at, length);
  }

  /** Why an entry is not run; null if it is. */
  @Nullable RuntimeException refusal(int lane) {
    return refusals[lane];
  }

  /** Whether a lane is run and samples a token. */
  boolean answers(int lane) {
    return refusals[lane] == null && samples[lane];
  }

  boolean isPenalised(int lane) {
    return samples[lane] && Penalties.areOn(sampling[lane]);
  }

  /** Whether something is said of single tokens for a lane. */
  boolean isRuled(int lane) {
    return answers(lane) && ruled[lane];
  }

  /** Which of {@link #masks} is a lane's; negative if it may sample every token. */
  int maskOf(int lane) {
    return answers(lane) ? maskOf[lane] : NO_MASK;
  }

  /** Whether the logits of a lane are changed before it samples. */
  boolean isChanged(int lane) {
    return answers(lane) && (isPenalised(lane) || ruled[lane] || maskOf[lane] != NO_MASK);
  }

  /** Whether log-probabilities of a lane are wanted. */
  boolean wantsLogprobs(int lane) {
    return answers(lane) && sampling[lane].logprobs().isPresent();
  }

  /** Whether the device computes them: of few alternatives. Of more the host does. */
  boolean logprobsOnDevice(int lane) {
    return wantsLogprobs(lane) && sampling[lane].logprobs().getAsInt() <= SamplingKernels.MAX_TOP;
  }

  /** Whether the host computes them, from raw logits. */
  boolean logprobsOnHost(int lane) {
    return wantsLogprobs(lane) && !logprobsOnDevice(lane);
  }

  SamplingParams sampling(int lane) {
    return sampling[lane];
  }

  int firstRow(int lane) {
    return firstRow[lane];
  }

  int count(int lane) {
    return count[lane];
  }

  int firstPosition(int lane) {
    return firstPosition[lane];
  }

  /** Position of the token to be sampled. */
  int nextPosition(int lane) {
    return firstPosition[lane] + count[lane];
  }

  /** The place of the step before that sampled the last token, or {@link LastSamples#NONE}. */
  int carriedFrom(int lane) {
    return carriedFrom[lane];
  }

  /** Tokens of all lanes that are run, in order. */
  int[] tokens() {
    return tokens;
  }

  int rows() {
    return rows;
  }

  /** The place of a lane's adapter, or {@link LoraKernels#NO_ADAPTER}. */
  int adapter(int lane) {
    return adapterOf[lane];
  }

  /** Lanes that are run and have an adapter. */
  int adapted() {
    return adapted;
  }

  /** Lanes that are run. */
  int running() {
    return running;
  }

  /** Lanes that are run and sample a token. */
  int answering() {
    return answering;
  }

  /** Those of them that have penalties. */
  int penalised() {
    return penalised;
  }

  /** Those of them of whose single tokens something is said. */
  int ruled() {
    return ruledCount;
  }

  /** Those of them that have a mask. */
  int constrained() {
    return masks.rows();
  }

  /** Those of them whose logits are changed in any of these ways. */
  int changed() {
    return changed;
  }

  int vocabularySize() {
    return check.vocabularySize();
  }

  /** Those of them whose log-probabilities the device computes. */
  int deviceLogprobs() {
    return deviceLogprobs;
  }

  /** Those of them whose log-probabilities the host computes. */
  int hostLogprobs() {
    return hostLogprobs;
  }

  /** Whether every lane computes a single token. */
  boolean isDecodeOnly() {
    return decodes == running && running > 0;
  }
}
