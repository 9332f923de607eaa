package dev.headway.cuda.executor;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.support.SimpleBlockOperations;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.executor.plan.PlanCheck;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A step as the device reads it: one block of {@code int}s in the order of {@link BatchLayout}, and
 * beside it what penalties need to know of the past, what is said of single tokens, and what is
 * done to whole KV blocks.
 *
 * <p>The engine thread packs it while another one runs; then the device thread copies it to pinned
 * memory. Samples whose logits change come after those without, and those with penalties last.
 * Allocates nothing once its arrays have grown.
 */
final class BatchPlan {
  private final int maxSamples;
  private final int blockSize;
  private final CudaGraphs graphs;
  private final LastSamples lastSamples;
  private final BlockTables tables;
  private final ForwardShape shape;
  private final WorkLists work;

  final BatchEntries entries;
  final BatchLayout layout;
  final PenaltyPlan penalties = new PenaltyPlan();
  final RulePlan rules = new RulePlan();
  private final @Nullable DraftTexts drafts;
  final SimpleBlockOperations blockOperations = new SimpleBlockOperations();

  private int[] data = new int[1024];
  private int[] sampleOf = new int[16];
  private boolean replayable;
  private int narrowings;
  private long needsTables;
  private long makesTables;

  /**
   * Makes an empty one.
   *
   * @param lastSamples shared by all steps
   * @param tables shared by all steps
   */
  BatchPlan(
      ExecutorOptions options,
      PlanCheck check,
      LastSamples lastSamples,
      BlockTables tables,
      ForwardShape shape) {
    this.maxSamples = options.maxSamples();
    this.blockSize = options.blockSize();
    this.graphs = options.graphs();
    this.lastSamples = lastSamples;
    this.tables = tables;
    this.shape = shape;
    this.entries = new BatchEntries(check, lastSamples, tables, blockSize, options.adapters());
    this.layout = new BatchLayout(shape);
    this.work = new WorkLists(shape, layout, entries, tables);
    this.drafts = options.ngrams() == null ? null : new DraftTexts(options, options.ngrams());
  }

  /** Copies everything the step needs from a plan and the requests it shows. */
  void pack(StepPlan plan) {
    tables.begin(plan);
    entries.copy(plan);
    tables.end();
    needsTables = tables.needs();
    makesTables = tables.makes();
    arrange();
    if (data.length < layout.end) {
      data = new int[Math.max(layout.end, 2 * data.length)];
    }
    placeSamples();
    writeRows();
    writeSampling();
    work.write(data);
    data[layout.workAt(0) + 1] = layout.runAt;
    data[layout.workAt(0) + 2] = layout.runs;
    tables.write(data, layout.runAt, layout.idAt);
    penalties.pack(plan, entries, sampleOf);
    rules.pack(plan, entries);
    blockOperations.copyFrom(plan.blockOperations());
    rememberSamples(plan);
    if (drafts != null) {
      drafts.pack(plan, entries, tables);
    }
  }

  private void arrange() {
    replayable = graphs == CudaGraphs.ENABLED && entries.isDecodeOnly();
    final int running = entries.running();
    final int size = replayable ? BatchSizes.holding(running, maxSamples) : running;
    work.count(size - running);
    layout.arrange(
        replayable ? size : entries.rows(),
        size,
        replayable ? size : entries.answering(),
        work.items(),
        work.prefills(),
        tables.runs(),
        tables.ids());
  }

  /** Gives each answering lane its place among the samples. */
  private void placeSamples() {
    if (sampleOf.length < entries.size()) {
      sampleOf = new int[Math.max(entries.size(), 2 * sampleOf.length)];
    }
    int plain = 0;
    int changed = entries.answering() - entries.changed();
    int penalised = entries.answering() - entries.penalised();
    for (int lane = 0; lane < entries.size(); lane++) {
      if (!entries.answers(lane)) {
        sampleOf[lane] = LastSamples.NONE;
      } else {
        sampleOf[lane] =
            entries.isPenalised(lane) ? penalised++ : entries.isChanged(lane) ? changed++ : plain++;
      }
    }
  }

  private void writeRows() {
    PaddingBatch.fill(data, layout);
    layout.hasAdapters = entries.adapted() > 0;
    System.arraycopy(entries.tokens(), 0, data, layout.tokenAt, entries.rows());
    int sequence = 0;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.refusal(lane) != null) {
        continue;
      }
      final int first = entries.firstRow(lane);
      final int count = entries.count(lane);
      final int row = tables.row(entries.entryOf(lane));
      final int[] table = tables.table(row);
      for (int i = 0; i < count; i++) {
        final int position = entries.firstPosition(lane) + i;
        data[layout.positionAt + first + i] = position;
        for (int group = 0; group < shape.layers().groups(); group++) {
          final int block = table[group * shape.maxBlocks() + position / blockSize];
          data[layout.slotAt(group) + first + i] = block * blockSize + position % blockSize;
        }
        data[layout.sequenceAt + first + i] = row;
      }
      if (layout.hasAdapters) {
        final int from = layout.adapterAt + first;
        Arrays.fill(data, from, from + count, entries.adapter(lane));
      }
      data[layout.carryFromAt + sequence] = entries.carriedFrom(lane);
      data[layout.carryToAt + sequence] = layout.tokenAt + first + count - 1;
      sequence++;
    }
  }

  private void writeSampling() {
    narrowings = SamplingKernels.SURVEY_ONLY;
    for (int lane = 0; lane < entries.size(); lane++) {
      final int sample = sampleOf[lane];
      if (sample == LastSamples.NONE) {
        continue;
      }
      final SamplingParams params = entries.sampling(lane);
      data[layout.sampleRowAt + sample] = entries.firstRow(lane) + entries.count(lane) - 1;
      final int whole = layout.wholeAt + 4 * sample;
      data[whole] = params.topK();
      data[whole + 1] = entries.nextPosition(lane);
      data[whole + 2] = (int) params.seed();
      data[whole + 3] = (int) (params.seed() >>> 32);
      final int real = layout.realAt + 3 * sample;
      data[real] = Float.floatToRawIntBits(params.temperature());
      data[real + 1] = Float.floatToRawIntBits(params.topP());
      data[real + 2] = Float.floatToRawIntBits(params.minP());
      data[layout.topAt + sample] =
          entries.logprobsOnDevice(lane)
              ? params.logprobs().getAsInt()
              : SamplingKernels.NOT_WANTED;
      narrowings =
          Math.max(
              narrowings,
              SamplingKernels.narrowings(
                  params.temperature(), params.topK(), params.topP(), params.minP()));
    }
  }

  private void rememberSamples(StepPlan plan) {
    for (int lane = 0; lane < entries.size(); lane++) {
      if (sampleOf[lane] != LastSamples.NONE) {
        lastSamples.note(plan.request(entries.entryOf(lane)).number(), sampleOf[lane]);
      }
    }
    lastSamples.advance();
  }

  /** Proposes drafts, if the executor does, for what the step answered. */
  void propose(StepOutput output) {
    if (drafts != null) {
      drafts.propose(entries, output);
    }
  }

  /** The block; its first {@code layout.end} ints count. */
  int[] data() {
    return data;
  }

  /** The most {@link SamplingKernels#narrowings} of any sample. */
  int narrowings() {
    return narrowings;
  }

  /** The place of a lane among the samples, or {@link LastSamples#NONE}. */
  int sampleOf(int lane) {
    return sampleOf[lane];
  }

  /** The state of {@link BlockTables} that the device must have before it takes the block. */
  long needsTables() {
    return needsTables;
  }

  /** The state that it has afterwards. */
  long makesTables() {
    return makesTables;
  }

  /** Whether the step can be replayed from a graph: padded to one of {@link BatchSizes}. */
  boolean isReplayable() {
    return replayable;
  }
}
