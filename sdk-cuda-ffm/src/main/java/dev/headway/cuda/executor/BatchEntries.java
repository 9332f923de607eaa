package dev.headway.cuda.executor;

import dev.headway.api.request.PlannedRequest;
import dev.headway.api.request.SamplingParams;
import dev.headway.api.request.TokenBias;
import dev.headway.api.step.StepPlan;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.sampling.Penalties;
import dev.headway.executor.sampling.TokenRules;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a step that can be run, copied from the live requests, and why the others cannot.
 * Engine thread fills it, the device thread reads it afterwards. Allocates nothing once its arrays
 * have grown.
 */
final class BatchEntries {
  private static final int NO_MASK = -1;

  private final PlanCheck check;
  private final LastSamples lastSamples;
  private final BlockTables tables;
  private final int blockSize;
  private final DecodeCut cut;
  private final PrefillCut prefillCut;

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

  private int rows;
  private int running;
  private int answering;
  private int penalised;
  private int ruledCount;
  private int changed;
  private int deviceLogprobs;
  private int hostLogprobs;
  private int decodes;
  private int items;
  private int prefills;
  private int[] tokens = new int[64];

  final TokenMasks masks;

  BatchEntries(
      PlanCheck check,
      LastSamples lastSamples,
      BlockTables tables,
      int blockSize,
      DecodeCut cut,
      PrefillCut prefillCut) {
    this.check = check;
    this.lastSamples = lastSamples;
    this.tables = tables;
    this.blockSize = blockSize;
    this.cut = cut;
    this.prefillCut = prefillCut;
    masks = new TokenMasks(check.vocabularySize());
  }

  /** Copies a plan. */
  void copy(StepPlan plan) {
    reserve(plan);
    size = plan.size();
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
    items = 0;
    prefills = 0;
    for (int entry = 0; entry < size; entry++) {
      refusals[entry] = check.refuse(plan, entry);
      if (refusals[entry] == null) {
        refusals[entry] = copy(plan, entry);
      }
      if (refusals[entry] == null) {
        accept(plan, entry);
      }
    }
  }

  private @Nullable RuntimeException copy(StepPlan plan, int entry) {
    final PlannedRequest request = plan.request(entry);
    final int first = plan.computedTokens(entry);
    final int scheduled = plan.scheduledTokens(entry);
    final int blocks = (first + scheduled - 1) / blockSize + 1;
    final RuntimeException strayBlock = tables.read(plan, entry, blocks, check);
    if (strayBlock != null) {
      return strayBlock;
    }
    final int known = Math.min(scheduled, request.knownTokens() - first);
    carriedFrom[entry] = LastSamples.NONE;
    if (known < scheduled) {
      carriedFrom[entry] =
          known == scheduled - 1 ? lastSamples.of(request.number(), entry) : LastSamples.NONE;
      if (carriedFrom[entry] == LastSamples.NONE) {
        return unknownToken(plan, entry);
      }
      tokens[rows + scheduled - 1] = 0; // the device puts the carried token here
    }
    if (known > 0) {
      request.copyTokenIds(first, tokens, rows, known);
    }
    final RuntimeException foreign = check.refuseTokens(tokens, rows, known, first);
    return foreign != null || !plan.samples(entry) ? foreign : readRules(plan, entry);
  }

  /** The last thing that may refuse an entry: a mask that was added is used. */
  private @Nullable RuntimeException readRules(StepPlan plan, int entry) {
    final TokenBias bias = plan.request(entry).request().sampling().tokenBias();
    if (!bias.isNone()) {
      final RuntimeException foreign = check.refuseBias(bias);
      if (foreign != null) {
        return foreign;
      }
    }
    maskOf[entry] = NO_MASK;
    if (plan.constraints().rows(entry) > 0) {
      maskOf[entry] = masks.rows();
      return masks.add(plan, entry);
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
    sampling[entry] = plan.request(entry).request().sampling();
    firstRow[entry] = rows;
    count[entry] = plan.scheduledTokens(entry);
    firstPosition[entry] = plan.computedTokens(entry);
    samples[entry] = plan.samples(entry);
    rows += count[entry];
    running++;
    answering += samples[entry] ? 1 : 0;
    penalised += isPenalised(entry) ? 1 : 0;
    ruled[entry] = samples[entry] && hasRules(plan, entry);
    ruledCount += ruled[entry] ? 1 : 0;
    changed += isChanged(entry) ? 1 : 0;
    deviceLogprobs += logprobsOnDevice(entry) ? 1 : 0;
    hostLogprobs += logprobsOnHost(entry) ? 1 : 0;
    if (count[entry] == 1) {
      decodes++;
      items += cut.items(nextPosition(entry));
    } else {
      prefills += prefillCut.items(count[entry], firstPosition[entry]);
    }
  }

  private boolean hasRules(StepPlan plan, int entry) {
    final PlannedRequest request = plan.request(entry);
    return !sampling[entry].tokenBias().isNone()
        || TokenRules.forbidEnds(
            request.request().stopRule(), request.promptTokens(), nextPosition(entry));
  }

  private void reserve(StepPlan plan) {
    if (refusals.length < plan.size()) {
      final int capacity = Math.max(plan.size(), 2 * refusals.length);
      refusals = new RuntimeException[capacity];
      sampling = new SamplingParams[capacity];
      firstRow = new int[capacity];
      count = new int[capacity];
      firstPosition = new int[capacity];
      carriedFrom = new int[capacity];
      samples = new boolean[capacity];
      ruled = new boolean[capacity];
      maskOf = new int[capacity];
    }
    if (tokens.length < plan.totalTokens()) {
      tokens = Arrays.copyOf(tokens, Math.max(plan.totalTokens(), 2 * tokens.length));
    }
  }

  /** Entries of the plan, refused ones included. */
  int size() {
    return size;
  }

  /** Why an entry is not run; null if it is. */
  @Nullable RuntimeException refusal(int entry) {
    return refusals[entry];
  }

  /** Whether an entry is run and a token is to be answered for it. */
  boolean answers(int entry) {
    return refusals[entry] == null && samples[entry];
  }

  boolean isPenalised(int entry) {
    return samples[entry] && Penalties.areOn(sampling[entry]);
  }

  /** Whether something is said of single tokens for an entry. */
  boolean isRuled(int entry) {
    return answers(entry) && ruled[entry];
  }

  /** Which of {@link #masks} is an entry's; negative if it may sample every token. */
  int maskOf(int entry) {
    return answers(entry) ? maskOf[entry] : NO_MASK;
  }

  /** Whether the logits of an entry are changed before it samples. */
  boolean isChanged(int entry) {
    return answers(entry) && (isPenalised(entry) || ruled[entry] || maskOf[entry] != NO_MASK);
  }

  /** Whether log-probabilities of an entry are wanted. */
  boolean wantsLogprobs(int entry) {
    return answers(entry) && sampling[entry].logprobs().isPresent();
  }

  /** Whether the device computes them: of few alternatives. Of more the host does. */
  boolean logprobsOnDevice(int entry) {
    return wantsLogprobs(entry) && sampling[entry].logprobs().getAsInt() <= SamplingKernels.MAX_TOP;
  }

  /** Whether the host computes them, from raw logits. */
  boolean logprobsOnHost(int entry) {
    return wantsLogprobs(entry) && !logprobsOnDevice(entry);
  }

  SamplingParams sampling(int entry) {
    return sampling[entry];
  }

  int firstRow(int entry) {
    return firstRow[entry];
  }

  int count(int entry) {
    return count[entry];
  }

  int firstPosition(int entry) {
    return firstPosition[entry];
  }

  /** Position of the token to be sampled. */
  int nextPosition(int entry) {
    return firstPosition[entry] + count[entry];
  }

  /** The place of the step before that sampled the last token, or {@link LastSamples#NONE}. */
  int carriedFrom(int entry) {
    return carriedFrom[entry];
  }

  /** Tokens of all entries that are run, in order. */
  int[] tokens() {
    return tokens;
  }

  int rows() {
    return rows;
  }

  /** Entries that are run. */
  int running() {
    return running;
  }

  /** Entries that are run and answer a token. */
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

  /** Items of decoding of the entries that compute a single token. */
  int items() {
    return items;
  }

  /** Items of prefill of the entries that compute several. */
  int prefills() {
    return prefills;
  }

  /** Whether every entry computes a single token. */
  boolean isDecodeOnly() {
    return decodes == running && running > 0;
  }
}
