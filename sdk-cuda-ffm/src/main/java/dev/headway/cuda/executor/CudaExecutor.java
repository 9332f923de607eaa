package dev.headway.cuda.executor;

import dev.headway.api.executor.Executor;
import dev.headway.api.executor.ExecutorLostException;
import dev.headway.api.executor.ExecutorShape;
import dev.headway.api.step.StepOutput;
import dev.headway.api.step.StepPlan;
import dev.headway.api.time.NanoClock;
import dev.headway.cuda.CudaException;
import dev.headway.cuda.device.CudaDevice;
import dev.headway.executor.model.KvLayers;
import dev.headway.executor.model.Model;
import dev.headway.executor.model.ModelConfig;
import dev.headway.executor.plan.ModelMemory;
import dev.headway.executor.plan.PlanCheck;
import dev.headway.executor.reference.Precision;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs a model on a CUDA device, over the blocks that the scheduler hands out.
 *
 * <p>The engine thread packs a plan in {@link #submit} and reads the answer in {@link #await}; a
 * thread of the executor's own does everything on the device, one stream, steps in order. With two
 * steps in flight the second one is packed and enqueued while the first one runs.
 *
 * <p>Two things are remembered about a request: which sample of the step before was its, and the
 * blocks that the device has been sent, until it is preempted or ends. An entry that cannot be run,
 * and one whose logits are not numbers, fails alone. When the device's context is lost, the step
 * and every later call fail with the driver's words and an {@link ExecutorLostException}: CUDA
 * heals in a new process only. What a process does once (loading kernels, planning products,
 * recording decode steps) is done before the first step. Decode steps allocate nothing on the heap,
 * log-probabilities aside: up to 20 alternatives are computed on the device; for a request that
 * asks for more, the row of its logits is brought to the host and they are computed there.
 */
public final class CudaExecutor implements Executor {
  private final DeviceThread thread;
  private final DeviceSide side;
  private final ExecutorShape shape;
  private final PlanCheck check;
  private final BlockTables tables;
  private final Map<String, String> attributes;
  private final int maxNumBatchedTokens;
  private final NanoClock clock;
  private final Step[] steps;
  private long submitted;
  private long answered;
  private boolean closed;
  private @Nullable Throwable lostBecause;

  CudaExecutor(DeviceThread thread, DeviceSide side, ExecutorOptions options, NanoClock clock) {
    this.thread = thread;
    this.side = side;
    this.clock = clock;
    maxNumBatchedTokens = options.maxNumBatchedTokens();
    steps = side.steps();
    shape = side.shape();
    check = side.check();
    tables = side.tables();
    attributes = side.attributes();
  }

  /**
   * Starts an executor.
   *
   * @param clock the engine's clock; times what the host does in a step. The device times itself.
   */
  public static CudaExecutorBuilder builder(Model model, NanoClock clock) {
    return new CudaExecutorBuilder(model, clock);
  }

  /** As {@link #memory(Model, int, KvCacheType)}, with keys and values as its checkpoint asks. */
  public static ModelMemory memory(Model model, int blockSize) {
    return memory(model, blockSize, KvCacheType.of(model));
  }

  /**
   * What a model takes on a device: weights in bf16, those stored as eight-bit floats a byte each
   * and their scales.
   *
   * @param blockSize tokens per KV block, >= 1
   * @throws IllegalArgumentException if there are no kernels for it; says which
   */
  public static ModelMemory memory(Model model, int blockSize, KvCacheType type) {
    final ModelConfig config = model.config();
    PageFormat.of(type, model); // refuses scales
    PagedKvCache.bytesPerBlock(
        ForwardShape.attentionOf(config, blockSize), KvLayers.of(config).slots(), type);
    return new ModelMemory(DeviceWeights.bytes(model), type.bytes());
  }

  /**
   * Why there are no kernels for a model in a precision, whatever the device is, in the words of
   * the exception of {@link CudaExecutorBuilder#build}; empty if there are. Any thread.
   */
  public static String refusal(Model model, Precision precision) {
    try {
      DeviceWeights.requirePrecision(model, precision);
      return "";
    } catch (IllegalArgumentException e) {
      return String.valueOf(e.getMessage());
    }
  }

  /**
   * Why no executor can be built on a device, in the words of the exception; empty if it is usable.
   * Any thread; takes no context and no memory on the device.
   *
   * @param ordinal the driver's number of the device, from 0
   */
  public static Optional<String> unavailableBecause(int ordinal) {
    return CudaDevice.unavailableBecause(ordinal);
  }

  @Override
  public ExecutorShape shape() {
    return shape;
  }

  @Override
  public String name() {
    return "cuda";
  }

  /**
   * {@code hardware}: the device; {@code kernels}: machine code, or PTX that the driver compiled;
   * {@code products}: whether cuBLASLt does them, without it why not, up to how many rows own
   * kernels do those with weights of eight-bit floats, and whether experts stay MXFP4; {@code
   * graphs}: how many batch sizes are recorded, and why not all; {@code inputs}: whether inputs are
   * rounded to eight-bit floats, and what multiplies those, if the checkpoint asks for it.
   */
  @Override
  public Map<String, String> attributes() {
    return attributes;
  }

  /** Whether the device's context was lost: no step can run any more in this process. */
  public boolean isLost() {
    return lostBecause != null;
  }

  @Override
  public void submit(StepPlan plan) {
    if (closed) {
      throw new IllegalStateException(
          "the executor must not be closed: name=" + name() + ", submitted=" + plan.stepId());
    }
    requireAlive();
    final Step step;
    try {
      requireRunnable(plan);
      step = pack(plan);
    } catch (RuntimeException | Error e) {
      tables.forget(); // the scheduler counts the plan's blocks as received
      throw e;
    }
    submitted++;
    thread.post(step.enqueue);
  }

  private Step pack(StepPlan plan) {
    final Step step = steps[(int) (submitted % steps.length)];
    final long beginNs = clock.nanoTime();
    step.begin(plan.stepId());
    step.plan.pack(plan);
    step.results.packNs = clock.nanoTime() - beginNs;
    return step;
  }

  private void requireRunnable(StepPlan plan) {
    if (submitted - answered == steps.length) {
      throw new IllegalStateException(
          "no more steps than maxStepsInFlight may be out: submitted="
              + plan.stepId()
              + ", maxStepsInFlight="
              + steps.length);
    }
    check.requireRunnable(plan);
    if (plan.size() > shape.maxNumSeqs() || plan.totalTokens() > maxNumBatchedTokens) {
      throw new IllegalArgumentException(
          "a step must fit the executor's memory: requests="
              + plan.size()
              + ", maxNumSeqs="
              + shape.maxNumSeqs()
              + ", tokens="
              + plan.totalTokens()
              + ", maxNumBatchedTokens="
              + maxNumBatchedTokens
              + "; lower the engine's limits or raise the executor's");
    }
  }

  /** The time limit is one of real time, also where the engine's clock is another. */
  @Override
  public boolean await(StepOutput output, long timeoutNs) throws InterruptedException {
    if (submitted == answered) {
      throw new IllegalStateException("no step is out");
    }
    final Step step = steps[(int) (answered % steps.length)];
    if (step.needsFinish()) {
      thread.post(step.finish);
    }
    if (!thread.await(step, timeoutNs)) {
      return false;
    }
    answered++;
    final Throwable failure = step.failure();
    if (failure != null) {
      tables.forget();
      throw failed(step, failure);
    }
    step.results.answer(step.plan, output);
    step.plan.propose(output);
    return true;
  }

  private IllegalStateException failed(Step step, Throwable cause) {
    final String what = "the device failed in step " + step.stepId() + ": " + cause.getMessage();
    if (cause instanceof CudaException e && e.isSticky()) {
      if (lostBecause == null) {
        lostBecause = cause;
      }
      return new ExecutorLostException(what + "; CUDA is lost to this process: restart it", cause);
    }
    return new IllegalStateException(what, cause);
  }

  private void requireAlive() {
    if (lostBecause != null) {
      throw new ExecutorLostException(
          "the executor is dead since CUDA was lost to this process: "
              + lostBecause.getMessage()
              + "; restart the process",
          lostBecause);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    final Closing closing = new Closing(side);
    thread.post(closing);
    thread.close();
    closing.throwFailure();
  }

  /** Gives everything back on the device thread and keeps what went wrong. */
  private static final class Closing implements Runnable {
    private final DeviceSide side;
    private @Nullable RuntimeException failure;

    Closing(DeviceSide side) {
      this.side = side;
    }

    @Override
    public void run() {
      try {
        side.close();
      } catch (RuntimeException e) {
        failure = e;
      }
    }

    void throwFailure() {
      if (failure != null) {
        throw failure;
      }
    }
  }
}
