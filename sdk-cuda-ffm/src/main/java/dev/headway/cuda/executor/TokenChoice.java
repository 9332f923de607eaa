package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.SamplingKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The launches from logits to tokens: look for logits that are no numbers, keep the rows whose
 * log-probabilities are wanted, apply penalties, choose, bring back. Device thread only.
 */
final class TokenChoice {
  private final CudaDevice device;
  private final SamplingKernels kernels;
  private final Workspace work;
  private final int vocabulary;
  private final int maxNumSeqs;
  private @Nullable DeviceBuffer penaltyBlock;

  TokenChoice(
      CudaDevice device, SamplingKernels kernels, Workspace work, int vocabulary, int maxNumSeqs) {
    this.device = device;
    this.kernels = kernels;
    this.work = work;
    this.vocabulary = vocabulary;
    this.maxNumSeqs = maxNumSeqs;
  }

  /** Sends what penalties look at; before the forward pass, since tokens are carried there too. */
  void upload(CudaStream stream, StepSlot slot) {
    final PenaltyPlan plan = slot.plan.penalties;
    if (plan.rows == 0) {
      return;
    }
    final PinnedBuffer pinned = slot.penaltyStaging.atLeast(4L * plan.end);
    MemorySegment.copy(plan.data(), 0, pinned.segment(), ValueLayout.JAVA_INT, 0, plan.end);
    final DeviceBuffer block = penaltyBlock(stream, 4L * plan.end);
    stream.copyToDevice(block, 0, pinned, 0, 4L * plan.end);
    kernels.carryTokens(
        stream,
        block.address() + 4L * plan.historyAt,
        work.answers.address(),
        block.address() + 4L * plan.carryFromAt,
        block.address() + 4L * plan.carryToAt,
        plan.rows);
  }

  private DeviceBuffer penaltyBlock(CudaStream stream, long bytes) {
    DeviceBuffer current = penaltyBlock;
    if (current == null || current.bytes() < bytes) {
      final long grown = current == null ? bytes : Math.max(bytes, 2 * current.bytes());
      penaltyBlock = null;
      if (current != null) {
        stream.synchronize(); // an earlier step may still read it
        current.close();
      }
      current = device.allocate(new MemoryUse("penalties", "maxNumSeqs"), grown);
      penaltyBlock = current;
    }
    return current;
  }

  /** Enqueues the choice and the copies to the host. */
  void enqueue(CudaStream stream, StepSlot slot) {
    final BatchPlan plan = slot.plan;
    final int samples = plan.entries.answering();
    if (samples == 0) {
      return;
    }
    final long logits = work.logits.address();
    final long tokens = work.answers.address();
    final long block = work.batch.address();
    kernels.firstNotFinite(
        stream, tokens + 4L * maxNumSeqs, tokens + 8L * maxNumSeqs, logits, samples, vocabulary);
    keepRawLogits(stream, slot);
    penalise(stream, slot, samples);
    kernels.sample(
        stream,
        tokens,
        logits,
        block + 4L * plan.layout.realAt,
        block + 4L * plan.layout.wholeAt,
        samples,
        vocabulary);
    stream.copyToHost(slot.answers, 0, work.answers, 0, work.answers.bytes());
  }

  /**
   * Launches every kernel of the choice once, so that its code is on the device, on one row of the
   * workspace whose logits are numbers and whose batch is padding.
   */
  void launchAll(CudaStream stream, BatchLayout padding) {
    final long logits = work.logits.address();
    final long tokens = work.answers.address();
    final long zeros = work.batch.address() + 4L * padding.wholeAt; // 7: whole and real
    kernels.firstNotFinite(
        stream, tokens + 4L * maxNumSeqs, tokens + 8L * maxNumSeqs, logits, 1, vocabulary);
    stream.fill(work.counts, 0, 4L * vocabulary, (byte) 0);
    kernels.countHistory(stream, work.counts.address(), zeros, zeros, zeros, 1, vocabulary);
    kernels.applyPenalties(stream, logits, logits, work.counts.address(), zeros, 1, vocabulary);
    kernels.sample(stream, tokens, logits, zeros, zeros, 1, vocabulary);
    stream.fill(work.answers, 0, work.answers.bytes(), (byte) 0xff); // no token anywhere yet
  }

  private void keepRawLogits(CudaStream stream, StepSlot slot) {
    final BatchEntries entries = slot.plan.entries;
    final long rowBytes = 4L * vocabulary;
    final int rows = slot.results.logprobRows(slot.plan);
    if (rows == 0) {
      return;
    }
    final PinnedBuffer target = slot.rawLogits.atLeast(rows * rowBytes);
    long to = 0;
    for (int entry = 0; entry < entries.size(); entry++) {
      if (StepResults.wantsLogprobs(slot.plan, entry)) {
        final long from = slot.plan.sampleOf(entry) * rowBytes;
        stream.copyToHost(target, to, work.logits, from, rowBytes);
        to += rowBytes;
      }
    }
  }

  /** Samples with penalties are the last ones; some at a time, since counts take memory. */
  private void penalise(CudaStream stream, StepSlot slot, int samples) {
    final PenaltyPlan plan = slot.plan.penalties;
    final DeviceBuffer block = penaltyBlock;
    if (plan.rows == 0 || block == null) {
      return;
    }
    final long rowBytes = 4L * vocabulary;
    for (int done = 0; done < plan.rows; done += Workspace.PENALTY_ROWS) {
      final int rows = Math.min(Workspace.PENALTY_ROWS, plan.rows - done);
      final long logits = work.logits.address() + (samples - plan.rows + done) * rowBytes;
      stream.fill(work.counts, 0, rows * rowBytes, (byte) 0);
      kernels.countHistory(
          stream,
          work.counts.address(),
          block.address() + 4L * plan.historyAt,
          block.address() + 4L * (plan.beginAt + done),
          block.address() + 4L * (plan.promptAt + done),
          rows,
          vocabulary);
      kernels.applyPenalties(
          stream,
          logits,
          logits,
          work.counts.address(),
          block.address() + 4L * (plan.penaltyAt + 3 * done),
          rows,
          vocabulary);
    }
  }
}
