package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.executor.model.ModelConfig;

/**
 * Device memory of a step between its kernels; one step at a time uses it, in stream order.
 * Addresses never change, so that recorded graphs stay right. What products read and write has
 * {@link ProductRows}.
 */
final class Workspace {
  /** Rows of penalties that are counted at once, and of logits that are copied to be changed. */
  static final int CHANGED_ROWS = 16;

  private static final String TOKENS = "maxNumBatchedTokens";
  private static final String SEQS = "maxNumSeqs";

  final DeviceBuffer batch;

  /**
   * {@code int[maxNumSeqs][groups][maxBlocks]}, see {@link BlockTables}; stays from step to step.
   */
  final DeviceBuffer tables;

  final DeviceBuffer inverseFrequencies;
  final DeviceBuffer hidden;
  final DeviceBuffer normed;
  final DeviceBuffer qkv;
  final DeviceBuffer attended;

  /** Zero between launches. */
  final DeviceBuffer decodeScratch;

  /** Zero between launches. */
  final DeviceBuffer prefillScratch;

  final DeviceBuffer gateUp;
  final DeviceBuffer inner;
  final DeviceBuffer sampledNormed;
  final DeviceBuffer logits;
  final DeviceBuffer counts;

  /** Where blocks that share a product meet; zero before the first one. */
  final DeviceBuffer products;

  /** Changed logits, of {@link #CHANGED_ROWS} at once, where the raw ones are still wanted. */
  final DeviceBuffer changed;

  /** What the launches of sampling leave each other; they find it zero and leave it so. */
  final DeviceBuffer sampling;

  /** The same for log-probabilities. */
  final DeviceBuffer logprobState;

  /** Log-probabilities for the host, by sample. */
  final DeviceBuffer logprobs;

  /** Tokens, then indices, then values of logits that are no numbers: maxNumSeqs each. */
  final DeviceBuffer answers;

  Workspace(
      CudaDevice device,
      ModelConfig config,
      ExecutorOptions options,
      ForwardShape shape,
      long decodeScratchBytes,
      long prefillScratchBytes,
      long productBytes) {
    final long tokens = options.maxNumBatchedTokens();
    final long seqs = options.maxNumSeqs();
    final long sampled = options.maxSamples();
    final long rows = ProductRows.holding(options.maxNumBatchedTokens());
    final long samples = ProductRows.holding(options.maxSamples());
    final long hiddenSize = config.hiddenSize();
    final long queryDim = config.attention().queryDim();
    final long qkvDim = queryDim + 2L * config.attention().kvDim();
    final long inner = Math.max(1, config.denseIntermediateSize());
    final long vocabulary = config.vocabularySize();
    batch =
        allocate(
            device,
            "batch",
            SEQS,
            4 * BatchLayout.maxInts(shape, (int) tokens, (int) sampled, (int) seqs));
    tables = allocate(device, "block tables", "maxModelLen", 4 * seqs * shape.tableWidth());
    inverseFrequencies = allocate(device, "rotary frequencies", "", 2 * frequencyBytes(config));
    hidden = allocate(device, "hidden states", TOKENS, 2 * rows * hiddenSize);
    normed = allocate(device, "normed states", TOKENS, 2 * rows * hiddenSize);
    qkv = allocate(device, "queries, keys and values", TOKENS, 2 * rows * qkvDim);
    attended = allocate(device, "attention output", TOKENS, 2 * rows * queryDim);
    decodeScratch = allocate(device, "parts of attention", SEQS, decodeScratchBytes);
    prefillScratch = allocate(device, "parts of prompts", TOKENS, prefillScratchBytes);
    gateUp = allocate(device, "gates", TOKENS, 4 * rows * inner);
    this.inner = allocate(device, "inner states", TOKENS, 2 * rows * inner);
    sampledNormed = allocate(device, "normed rows that sample", SEQS, 2 * samples * hiddenSize);
    logits = allocate(device, "logits", SEQS, 4 * samples * vocabulary);
    counts =
        allocate(device, "token counts", SEQS, 4 * Math.min(sampled, CHANGED_ROWS) * vocabulary);
    products = allocate(device, "parts of products", "", productBytes);
    changed =
        allocate(device, "changed logits", SEQS, 4 * Math.min(sampled, CHANGED_ROWS) * vocabulary);
    sampling = allocate(device, "sampling", SEQS, sampled * SamplingKernels.SAMPLE_STATE_BYTES);
    logprobState =
        allocate(
            device,
            "parts of log-probabilities",
            SEQS,
            sampled * SamplingKernels.LOGPROB_STATE_BYTES);
    logprobs =
        allocate(device, "log-probabilities", SEQS, sampled * SamplingKernels.LOGPROB_ANSWER_BYTES);
    answers = allocate(device, "answers", SEQS, 12 * sampled);
  }

  /** Bytes of one rotary embedding's frequencies; those of layers with a window come second. */
  static long frequencyBytes(ModelConfig config) {
    return 2L * config.attention().headDim();
  }

  /** Zeroes what launches find as zeros: nothing has begun. */
  void begin(CudaStream stream) {
    for (DeviceBuffer each :
        new DeviceBuffer[] {products, sampling, logprobState, decodeScratch, prefillScratch}) {
      stream.fill(each, 0, each.bytes(), (byte) 0);
    }
  }

  private static DeviceBuffer allocate(CudaDevice device, String what, String option, long bytes) {
    return device.allocate(new MemoryUse(what, option), bytes);
  }
}
