package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.DeviceBuffer;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.SamplingKernels;
import dev.headway.cuda.kernel.TokenRuleKernels;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What happens to logits before a token is chosen, in the order of the definition at the head of
 * {@code sampling.cu}: rules of single tokens, penalties, masks. Rows that change are the last
 * samples of a step and are counted from the first of them. Device thread only.
 */
final class LogitChanges {
  private static final int MAX_ROWS = Workspace.CHANGED_ROWS;

  private final SamplingKernels sampling;
  private final TokenRuleKernels tokenRules;
  private final Workspace work;
  private final int vocabulary;
  private final long rowBytes;
  private final GrowingBlock penaltyBlock;
  private final GrowingBlock ruleBlock;

  LogitChanges(CudaDevice device, Kernels kernels, Workspace work, int vocabulary) {
    sampling = kernels.sampling();
    tokenRules = kernels.tokenRules();
    this.work = work;
    this.vocabulary = vocabulary;
    rowBytes = 4L * vocabulary;
    penaltyBlock = new GrowingBlock(device, new MemoryUse("penalties", "maxNumSeqs"));
    ruleBlock = new GrowingBlock(device, new MemoryUse("token rules and masks", "maxNumSeqs"));
  }

  /** Sends what they look at; before the forward pass, since tokens are carried there too. */
  void upload(CudaStream stream, StepSlot slot) {
    if (slot.plan.penalties.rows > 0) {
      uploadPenalties(stream, slot);
    }
    if (slot.plan.rules.rows > 0) {
      uploadRules(stream, slot);
    }
  }

  private void uploadPenalties(CudaStream stream, StepSlot slot) {
    final PenaltyPlan plan = slot.plan.penalties;
    final PinnedBuffer pinned = slot.penaltyStaging.atLeast(4L * plan.end);
    MemorySegment.copy(plan.data(), 0, pinned.segment(), ValueLayout.JAVA_INT, 0, plan.end);
    final DeviceBuffer block = penaltyBlock.atLeast(stream, 4L * plan.end);
    stream.copyToDevice(block, 0, pinned, 0, 4L * plan.end);
    sampling.carryTokens(
        stream,
        block.address() + 4L * plan.historyAt,
        work.answers.address(),
        block.address() + 4L * plan.carryFromAt,
        block.address() + 4L * plan.carryToAt,
        plan.rows);
  }

  private void uploadRules(CudaStream stream, StepSlot slot) {
    final RulePlan plan = slot.plan.rules;
    final TokenMasks masks = slot.plan.entries.masks;
    final long bytes = 4L * (plan.end + masks.size());
    final PinnedBuffer pinned = slot.ruleStaging.atLeast(bytes);
    final MemorySegment staging = pinned.segment();
    MemorySegment.copy(plan.data(), 0, staging, ValueLayout.JAVA_INT, 0, plan.end);
    MemorySegment.copy(masks.data(), 0, staging, ValueLayout.JAVA_INT, 4L * plan.end, masks.size());
    final DeviceBuffer block = ruleBlock.atLeast(stream, bytes);
    stream.copyToDevice(block, 0, pinned, 0, bytes);
    if (plan.carried > 0) {
      sampling.carryTokens(
          stream,
          block.address(),
          work.answers.address(),
          block.address() + 4L * plan.carryFromAt,
          block.address() + 4L * plan.carryToAt,
          plan.carried);
    }
  }

  /** Changes rows where they are. */
  void apply(CudaStream stream, BatchPlan batch, int first, int rows) {
    final long logits = work.logits.address() + logitsAt(batch, first);
    apply(stream, batch, logits, logits, first, rows);
  }

  /** Leaves {@link Workspace#CHANGED_ROWS} rows at most as they are and changes a copy of them. */
  long applyToCopy(CudaStream stream, BatchPlan batch, int first, int rows) {
    final long target = work.changed.address();
    long source = work.logits.address() + logitsAt(batch, first);
    if (batch.entries.ruled() > 0 || firstPenalised(batch) > first) {
      stream.copy(work.changed, 0, work.logits, logitsAt(batch, first), rows * rowBytes);
      source = target;
    }
    apply(stream, batch, target, source, first, rows);
    return target;
  }

  private long logitsAt(BatchPlan batch, int row) {
    return (batch.entries.answering() - batch.entries.changed() + row) * rowBytes;
  }

  private static int firstPenalised(BatchPlan batch) {
    return batch.entries.changed() - batch.entries.penalised();
  }

  /** Logits are elsewhere only if all rows have penalties and no rule comes before them. */
  private void apply(
      CudaStream stream, BatchPlan batch, long target, long logits, int first, int rows) {
    final RulePlan plan = batch.rules;
    final long block = ruleBlock.address();
    if (batch.entries.ruled() > 0) {
      tokenRules.apply(
          stream, logits, block + 8L * first, block + 4L * plan.ruleAt, rows, vocabulary);
    }
    final int penalised = Math.max(first, firstPenalised(batch));
    for (int row = penalised; row < first + rows; row += MAX_ROWS) {
      final long at = (row - first) * rowBytes;
      penalise(
          stream, batch, target + at, logits + at, row, Math.min(MAX_ROWS, first + rows - row));
    }
    if (batch.entries.constrained() > 0) {
      tokenRules.mask(
          stream,
          target,
          block + 4L * plan.end,
          block + 4L * (plan.maskOfAt + first),
          rows,
          vocabulary);
    }
  }

  /** Some rows at a time, since counts take memory. */
  private void penalise(
      CudaStream stream, BatchPlan batch, long target, long logits, int first, int rows) {
    final PenaltyPlan plan = batch.penalties;
    final long block = penaltyBlock.address();
    final int row = first - firstPenalised(batch);
    stream.fill(work.counts, 0, rows * rowBytes, (byte) 0);
    sampling.countHistory(
        stream,
        work.counts.address(),
        block + 4L * plan.historyAt,
        block + 4L * (plan.beginAt + row),
        block + 4L * (plan.promptAt + row),
        rows,
        vocabulary);
    sampling.applyPenalties(
        stream,
        target,
        logits,
        work.counts.address(),
        block + 4L * (plan.penaltyAt + 3 * row),
        rows,
        vocabulary);
  }

  /** Launches every kernel once, on a row of logits that are lost. */
  void launchAll(CudaStream stream, long logits, long zeros) {
    tokenRules.apply(stream, logits, zeros, zeros, 1, vocabulary);
    stream.fill(work.counts, 0, rowBytes, (byte) 0);
    sampling.countHistory(stream, work.counts.address(), zeros, zeros, zeros, 1, vocabulary);
    sampling.applyPenalties(stream, logits, logits, work.counts.address(), zeros, 1, vocabulary);
    tokenRules.mask(stream, logits, work.counts.address(), zeros, 1, vocabulary);
  }
}
