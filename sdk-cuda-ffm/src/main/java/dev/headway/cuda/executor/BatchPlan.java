package dev.headway.cuda.executor;

import dev.headway.api.request.SamplingParams;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.support.SimpleBlockOperations;
import dev.headway.cuda.kernel.DecodeCut;
import dev.headway.cuda.kernel.PrefillCut;
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
  private final DecodeCut cut;
  private final PrefillCut prefillCut;
  private final int mostRecords;

  final BatchEntries entries;
  final BatchLayout layout;
  final PenaltyPlan penalties = new PenaltyPlan();
  final RulePlan rules = new RulePlan();
  private final @Nullable DraftTexts drafts;
  final SimpleBlockOperations blockOperations = new SimpleBlockOperations();

  private int[] data = new int[1024];
  private int[] sampleOf = new int[16];
  private int[] chunk = new int[16]; // lanes of several rows, those of long items last
  private int[] longestItem = new int[16]; // of each of them
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
    this.cut = shape.cut();
    this.prefillCut = shape.prefillCut();
    this.entries = new BatchEntries(check, lastSamples, tables, blockSize, cut, prefillCut);
    this.layout = new BatchLayout();
    this.mostRecords = shape.mostRecords();
    this.drafts = options.ngrams() == null ? null : new DraftTexts(options, options.ngrams());
  }

  /** Copies everything the step needs from a plan and the requests it shows. */
  void pack(StepPlan plan) {
    tables.begin(plan);
    entries.copy(plan);
    tables.end();
    needsTables = tables.needs();
    makesTables = tables.makes();
    replayable = graphs == CudaGraphs.ENABLED && entries.isDecodeOnly();
    if (replayable) {
      final int size = BatchSizes.holding(entries.running(), maxSamples);
      final int padding = size - entries.running();
      layout.arrange(size, size, size, entries.items() + padding, 0, tables.runs(), tables.ids());
    } else {
      layout.arrange(
          entries.rows(),
          entries.running(),
          entries.answering(),
          entries.items(),
          entries.prefills(),
          tables.runs(),
          tables.ids());
    }
    if (data.length < layout.end) {
      data = new int[Math.max(layout.end, 2 * data.length)];
    }
    placeSamples();
    writeRows();
    writeSampling();
    writeWork();
    writePrefills();
    tables.write(data, layout.runAt, layout.idAt);
    penalties.pack(plan, entries, sampleOf);
    rules.pack(plan, entries);
    blockOperations.copyFrom(plan.blockOperations());
    rememberSamples(plan);
    if (drafts != null) {
      drafts.pack(plan, entries, tables);
    }
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
        final int block = table[position / blockSize];
        data[layout.positionAt + first + i] = position;
        data[layout.slotAt + first + i] = block * blockSize + position % blockSize;
        data[layout.sequenceAt + first + i] = row;
      }
      data[layout.carryFromAt + sequence] = entries.carriedFrom(lane);
      data[layout.carryToAt + sequence] = layout.tokenAt + first + count - 1;
      sequence++;
    }
  }

  /**
   * The items of chunks, those of many keys last: the kernel begins with the last item, since a
   * block that began one of many keys at the end would keep the device waiting.
   */
  private void writePrefills() {
    int chunks = 0;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.refusal(lane) == null && entries.count(lane) > 1) {
        insertChunk(lane, chunks++);
      }
    }
    layout.launches.clear(mostRecords);
    int to = layout.prefillAt;
    for (int i = 0; i < chunks; i++) {
      to = writeChunk(to, chunk[i]);
    }
  }

  private int writeChunk(int at, int lane) {
    final int rows = entries.count(lane);
    final int before = entries.firstPosition(lane);
    int to = at;
    for (int done = 0; done < rows; done += PrefillCut.TILE_ROWS) {
      final int record = layout.launches.place(prefillCut.records(rows, before, done));
      to =
          prefillCut.write(
              data,
              to,
              rows,
              before,
              done,
              entries.firstRow(lane),
              tables.row(entries.entryOf(lane)),
              record);
      layout.launches.endAt((to - layout.prefillAt) / PrefillCut.ITEM_INTS);
    }
    return to;
  }

  private void insertChunk(int lane, int chunks) {
    if (chunk.length == chunks) {
      chunk = Arrays.copyOf(chunk, 2 * chunks);
      longestItem = Arrays.copyOf(longestItem, 2 * chunks);
    }
    final int keys = prefillCut.longestItem(entries.count(lane), entries.firstPosition(lane), 0);
    int at = chunks;
    while (at > 0 && longestItem[at - 1] > keys) {
      chunk[at] = chunk[at - 1];
      longestItem[at] = longestItem[at - 1];
      at--;
    }
    chunk[at] = lane;
    longestItem[at] = keys;
  }

  /** The items of the rows that decode: those of long contexts first, as they take longest. */
  private void writeWork() {
    data[layout.workAt] = layout.items;
    data[layout.workAt + 1] = layout.runAt;
    data[layout.workAt + 2] = layout.runs;
    int to = layout.workAt + DecodeCut.HEADER_INTS;
    to = writeItems(to, true);
    to = writeItems(to, false);
    for (int row = entries.running(); replayable && row < layout.rows; row++) {
      to = cut.write(data, to, row, 0); // padding
    }
  }

  private int writeItems(int at, boolean isLong) {
    int to = at;
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.refusal(lane) == null && entries.count(lane) == 1) {
        final int keys = entries.nextPosition(lane);
        if (cut.isLong(keys) == isLong) {
          to = cut.write(data, to, entries.firstRow(lane), keys);
        }
      }
    }
    return to;
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
