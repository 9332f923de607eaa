package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.ExpertKernels;
import dev.headway.cuda.kernel.RouterShape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * What is done once at start so that no step of traffic has to: every kernel is launched, every
 * product planned, every size of a decode step recorded. Works on {@link PaddingBatch}es. Device
 * thread only; closing waits for the device.
 */
final class DeviceWarmUp implements AutoCloseable {
  /** Rows from which own products use the kernels that they use for any more. */
  private static final int MOST_KERNEL_ROWS = 256;

  private final CudaStream stream;
  private final Workspace work;
  private final ExecutorOptions options;
  private final TokenChoice choice;
  private final boolean planned;
  private final int mostKernelRows;
  private final StartProgress progress;
  private final PaddingBatch batch;
  private final PinnedBuffer staging;

  /**
   * Takes pinned memory.
   *
   * @param experts of the model, if it has any
   * @param planned whether products are planned by the number of their rows: then each number that
   *     a step can have is computed once
   */
  DeviceWarmUp(
      CudaDevice device,
      CudaStream stream,
      Workspace work,
      ExecutorOptions options,
      TokenChoice choice,
      ForwardShape shape,
      @Nullable RouterShape experts,
      boolean planned,
      StartProgress progress) {
    this.stream = stream;
    this.work = work;
    this.options = options;
    this.choice = choice;
    batch = new PaddingBatch(shape);
    this.planned = planned;
    mostKernelRows =
        experts == null
            ? MOST_KERNEL_ROWS
            : Math.max(MOST_KERNEL_ROWS, ExpertKernels.rowsOfTheLargestTile(experts));
    this.progress = progress;
    staging = device.allocatePinned(new MemoryUse("warm-up", "maxNumSeqs"), work.batch.bytes());
  }

  /** Launches every kernel that steps launch, so that its code is on the device. */
  void launchAll(ForwardPass pass) {
    final int most = options.maxNumBatchedTokens();
    int rows = 0;
    while (rows < most && (planned || rows < mostKernelRows)) {
      rows = Math.min(planned ? ProductRows.holding(rows + 1) : Math.max(1, 2 * rows), most);
      batch.prompt(rows);
      upload(pass);
      pass.runEachKindOfLayer();
      progress.passed("launched kernels for up to " + rows + " of " + most + " rows");
    }
    for (int size : BatchSizes.all(options.maxSamples())) {
      batch.decodes(size);
      upload(pass);
      pass.runEachKindOfLayer();
    }
    choice.launchAll(stream, batch.layout);
    stream.synchronize();
  }

  /** Records every size that is to be recorded, the largest first. */
  void record(ForwardPass pass, GraphCache graphs) {
    final int[] wanted = graphs.sizes();
    for (int i = wanted.length - 1; i >= 0; i--) {
      batch.decodes(wanted[i]);
      pass.over(batch.layout);
      graphs.record(stream, wanted[i], pass);
      progress.passed("recorded " + (wanted.length - i) + " of " + wanted.length + " batch sizes");
    }
  }

  private void upload(ForwardPass pass) {
    final int ints = batch.layout.end;
    stream.synchronize(); // the staging is used again
    MemorySegment.copy(batch.data(), 0, staging.segment(), ValueLayout.JAVA_INT, 0, ints);
    stream.copyToDevice(work.batch, 0, staging, 0, 4L * ints);
    pass.over(batch.layout);
  }

  @Override
  public void close() {
    stream.synchronize();
    staging.close();
  }
}
