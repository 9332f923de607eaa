package dev.headway.cuda.executor;

import dev.headway.api.request.LoraAdapter;
import dev.headway.api.time.NanoClock;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.LoraWeights;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.reference.LoraAdapters;
import dev.headway.executor.reference.Precision;
import dev.headway.executor.speculation.NgramOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Collects the options of a {@link CudaExecutor}. Not thread-safe. */
public final class CudaExecutorBuilder {
  private static final long USUAL_SPIN_NS = 400_000;

  private final Model model;
  private final NanoClock clock;
  private int deviceOrdinal;
  private int maxNumSeqs = 64;
  private int maxNumBatchedTokens = 2_048;
  private int maxModelLen;
  private int blockSize = 16;
  private int kvBlocks;
  private int hostBlocks;
  private double memoryUtilization = 0.9;
  private int stepsInFlight = 1;
  private long spinNs = Runtime.getRuntime().availableProcessors() > 1 ? USUAL_SPIN_NS : 0;
  private CudaGraphs graphs = CudaGraphs.ENABLED;
  private int draftTokens;
  private @Nullable NgramOptions ngrams;
  private @Nullable KvCacheType kvCacheType;
  private Precision precision = Precision.BFLOAT16;
  private final LoraAdapters adapters = new LoraAdapters();

  CudaExecutorBuilder(Model model, NanoClock clock) {
    this.model = model;
    this.clock = clock;
    this.maxModelLen = model.config().maxPositions();
  }

  /** The driver's number of the device; 0 unless set. */
  public CudaExecutorBuilder device(int ordinal) {
    this.deviceOrdinal = ordinal;
    return this;
  }

  /** Most requests in a step, at most 65,535; 64 unless set. */
  public CudaExecutorBuilder maxNumSeqs(int seqs) {
    this.maxNumSeqs = seqs;
    return this;
  }

  /** Most tokens in a step, at least maxNumSeqs and at most 65,535; 2,048 unless set. */
  public CudaExecutorBuilder maxNumBatchedTokens(int tokens) {
    this.maxNumBatchedTokens = tokens;
    return this;
  }

  /** Longest context, in tokens; the model's unless set. */
  public CudaExecutorBuilder maxModelLen(int tokens) {
    this.maxModelLen = tokens;
    return this;
  }

  /** Tokens per KV block; 16 unless set. */
  public CudaExecutorBuilder blockSize(int tokens) {
    this.blockSize = tokens;
    return this;
  }

  /** KV blocks, the null block included; as many as there is room for unless set. */
  public CudaExecutorBuilder kvBlocks(int blocks) {
    this.kvBlocks = blocks;
    return this;
  }

  /**
   * KV blocks in pinned host memory, to save to and load from; 0 (no such tier) unless set. Each
   * takes the bytes of a block on the device, which {@link CudaExecutor#shape} gives; the engine
   * uses as many as its {@code KvOffloadOptions} say.
   */
  public CudaExecutorBuilder hostBlocks(int blocks) {
    this.hostBlocks = blocks;
    return this;
  }

  /**
   * Share of the device's memory that may be in use, by whomever, when the executor is ready: the
   * KV cache gets what weights, workspace, kernels, library and recordings leave of it. 0.9 unless
   * set. Of no effect with {@link #kvBlocks}.
   */
  public CudaExecutorBuilder memoryUtilization(double share) {
    this.memoryUtilization = share;
    return this;
  }

  /** Steps submitted and not yet answered, 1 or 2; 1 unless set. 2 wants async scheduling. */
  public CudaExecutorBuilder stepsInFlight(int steps) {
    this.stepsInFlight = steps;
    return this;
  }

  /**
   * Longest that the engine's thread and the executor's spin for each other at a time, before they
   * are parked: the executor's behind each step, the engine's about when the step is expected to
   * end. It saves what a parked thread takes to go on, in each step, and costs 5 % of a processor
   * with steps of 5 ms and 21 % with steps of 1.2 ms. 400,000 unless set, 0 on a machine with one
   * processor; 0 = never.
   */
  public CudaExecutorBuilder spinNs(long longestNs) {
    this.spinNs = longestNs;
    return this;
  }

  /**
   * Whether decode steps are replayed from recordings, which are made at start for all batch sizes;
   * they are unless set.
   */
  public CudaExecutorBuilder graphs(CudaGraphs graphs) {
    this.graphs = graphs;
    return this;
  }

  /**
   * What keys and values are kept as, on the device and in {@link #hostBlocks}; what the checkpoint
   * asks for, {@link KvCacheType#of}, unless set. With {@link KvCacheType#E4M3} the scales that a
   * checkpoint has for its layers are used, and 1 where it has none: {@link
   * CudaExecutor#attributes} says which.
   */
  public CudaExecutorBuilder kvCacheType(KvCacheType type) {
    this.kvCacheType = type;
    return this;
  }

  /**
   * What is rounded to what: {@link Precision#BFLOAT16} unless set. With {@link
   * Precision#QUANTIZED} the inputs of quantised matrices are rounded to eight-bit floats as the
   * checkpoint says, and products are those of codes with codes, as vLLM computes them: less to
   * multiply, and further from the model that was quantised. It needs a device of compute
   * capability 8.9 or newer and a checkpoint that asks for it; {@link CudaExecutor#attributes} says
   * what is rounded, and what multiplies.
   */
  public CudaExecutorBuilder precision(Precision precision) {
    this.precision = precision;
    return this;
  }

  /**
   * Proposes draft tokens from the text itself, and verifies them, for an engine whose {@code
   * SpeculationOptions} speculate by {@code NGRAM}; none unless set. The host finds them in the
   * outputs of the step before, so {@link #stepsInFlight} must stay 1.
   *
   * <p>Each draft is a row of its own that decodes, by the same attention as without; keys and
   * values of its context are read once for each. Products of more rows may round otherwise, so a
   * token can be another one where two are nearly equally likely.
   *
   * @param mostTokens most drafts of a request in a step, >= the engine's {@code
   *     numSpeculativeTokens}
   */
  public CudaExecutorBuilder ngrams(NgramOptions options, int mostTokens) {
    this.ngrams = options;
    this.draftTokens = mostTokens;
    return this;
  }

  /**
   * Adds a LoRA adapter for requests that name it; it is read now, and its matrices are on the
   * device in bf16 once the executor is built, those of all adapters filled up to the largest rank.
   *
   * @param directory holds {@code adapter_config.json} and {@code adapter_model.safetensors}
   * @throws dev.headway.executor.model.ModelFormatException if the folder cannot be used
   * @throws IllegalArgumentException if its id or its name is taken
   */
  public CudaExecutorBuilder adapter(LoraAdapter adapter, Path directory) {
    adapters.add(adapter, directory, model.config());
    return this;
  }

  /**
   * Opens the device, moves the weights there, loads kernels, plans products, takes the memory and
   * records decode steps, so that the first step is as fast as any. The model may be closed then. A
   * start that takes more than a second tells in the log how far it is.
   *
   * @throws dev.headway.cuda.CudaUnavailableException if there is no usable device; the message
   *     says why
   * @throws dev.headway.cuda.CudaException if memory runs out, with the numbers and the option that
   *     lowers them
   * @throws IllegalArgumentException if options contradict each other, or there are no kernels for
   *     the model, for the scales of its keys and values, or for a precision that the device or the
   *     checkpoint does not have
   * @throws IllegalStateException if no room is left for the KV cache
   */
  public CudaExecutor build() {
    if (maxModelLen > model.config().maxPositions()) {
      throw new IllegalArgumentException(
          "maxModelLen must be <= the model's max_position_embeddings: maxModelLen="
              + maxModelLen
              + ", max_position_embeddings="
              + model.config().maxPositions());
    }
    final ModelConfig config = model.config().withMaxPositions(maxModelLen);
    KvLayers.of(config).requireNoHostTier(hostBlocks);
    DeviceWeights.requirePrecision(model, precision);
    final Map<LoraAdapter, LoraWeights> read = adapters.all();
    final ExecutorOptions options =
        new ExecutorOptions(
            deviceOrdinal,
            maxNumSeqs,
            maxNumBatchedTokens,
            maxModelLen,
            blockSize,
            kvBlocks,
            hostBlocks,
            memoryUtilization,
            stepsInFlight,
            spinNs,
            graphs,
            draftTokens,
            ngrams,
            kvCacheType == null ? KvCacheType.of(model) : kvCacheType,
            new AdapterSlots(read.keySet()),
            precision);
    final DeviceThread thread = new DeviceThread("headway-cuda-" + deviceOrdinal, spinNs);
    try {
      final CompletableFuture<DeviceSide> opened = new CompletableFuture<>();
      thread.post(() -> open(List.copyOf(read.values()), options, opened));
      final DeviceSide side = opened.join();
      return new CudaExecutor(thread, side, options, clock);
    } catch (CompletionException e) {
      thread.close();
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      if (e.getCause() instanceof Error cause) {
        throw cause;
      }
      throw e;
    }
  }

  private void open(
      List<LoraWeights> weights, ExecutorOptions options, CompletableFuture<DeviceSide> opened) {
    try {
      opened.complete(DeviceSide.open(model, weights, options, clock));
    } catch (Throwable t) {
      opened.completeExceptionally(t);
    }
  }
}
