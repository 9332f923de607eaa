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
 * The launches from logits to tokens: apply penalties, look for logits that are no numbers, choose,
 * compute the log-probabilities that are wanted, bring back. Device thread only.
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
    keepRawLogits(stream, slot);
    final int plain = samples - plan.penalties.rows;
    final boolean logprobs = plan.entries.deviceLogprobs() > 0;
    if (plan.penalties.rows == 0 || !logprobs) {
      penalise(stream, plan, plain, RawLogits.NOT_WANTED);
      choose(stream, plan, work.logits.address(), 0, samples, plain);
    } else {
      penalise(stream, plan, plain, RawLogits.WANTED);
      if (plain > 0) {
        choose(stream, plan, work.logits.address(), 0, plain, plain);
      }
    }
    if (logprobs) {
      logProbabilities(stream, slot, samples);
    }
    stream.copyToHost(slot.answers, 0, work.answers, 0, 12L * samples);
  }

  /**
   * Launches every kernel of the choice once, so that its code is on the device, on one row of the
   * workspace whose logits are numbers and whose batch is padding.
   */
  void launchAll(CudaStream stream, BatchLayout padding) {
    final long logits = work.logits.address();
    final long tokens = work.answers.address();
    final long zeros = work.batch.address() + 4L * padding.wholeAt; // 7: whole and real
    final long stray = tokens + 4L * maxNumSeqs;
    final long strayLogit = tokens + 8L * maxNumSeqs;
    kernels.firstNotFinite(stream, stray, strayLogit, logits, 1, vocabulary);
    stream.fill(work.counts, 0, 4L * vocabulary, (byte) 0);
    kernels.countHistory(stream, work.counts.address(), zeros, zeros, zeros, 1, vocabulary);
    kernels.applyPenalties(stream, logits, logits, work.counts.address(), zeros, 1, vocabulary);
    kernels.sample(
        stream,
        work.sampling.address(),
        tokens,
        stray,
        strayLogit,
        logits,
        zeros,
        zeros,
        1,
        1,
        vocabulary,
        1); // not only the survey
    kernels.logProbabilities(
        stream,
        work.logprobState.address(),
        work.logprobs.address(),
        logits,
        tokens,
        zeros,
        1,
        vocabulary);
    stream.fill(work.answers, 0, work.answers.bytes(), (byte) 0xff); // no token anywhere yet
  }

  private enum RawLogits {
    WANTED,
    NOT_WANTED
  }

  /** Copies rows of whose tokens more log-probabilities are wanted than the device computes. */
  private void keepRawLogits(CudaStream stream, StepSlot slot) {
    final BatchEntries entries = slot.plan.entries;
    final long rowBytes = 4L * vocabulary;
    final int rows = entries.hostLogprobs();
    if (rows == 0) {
      return;
    }
    final PinnedBuffer target = slot.rawLogits.atLeast(rows * rowBytes);
    long to = 0;
    for (int entry = 0; entry < entries.size(); entry++) {
      if (entries.logprobsOnHost(entry)) {
        final long from = slot.plan.sampleOf(entry) * rowBytes;
        stream.copyToHost(target, to, work.logits, from, rowBytes);
        to += rowBytes;
      }
    }
  }

  /**
   * Samples with penalties are the last ones; some at a time, since counts take memory. Where raw
   * logits are still wanted, penalties go to a copy, and what it is for is done with it at once.
   */
  private void penalise(CudaStream stream, BatchPlan batch, int firstSample, RawLogits raw) {
    final PenaltyPlan plan = batch.penalties;
    final DeviceBuffer block = penaltyBlock;
    if (plan.rows == 0 || block == null) {
      return;
    }
    final long rowBytes = 4L * vocabulary;
    final int samples = batch.entries.answering();
    final long strays = work.answers.address() + 4L * (samples + firstSample);
    final long firstLogits = work.logits.address() + firstSample * rowBytes;
    kernels.firstNotFinite(
        stream, strays, strays + 4L * samples, firstLogits, plan.rows, vocabulary);
    for (int done = 0; done < plan.rows; done += Workspace.PENALTY_ROWS) {
      final int rows = Math.min(Workspace.PENALTY_ROWS, plan.rows - done);
      final long logits = firstLogits + done * rowBytes;
      final long target = raw == RawLogits.WANTED ? work.penalised.address() : logits;
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
          target,
          logits,
          work.counts.address(),
          block.address() + 4L * (plan.penaltyAt + 3 * done),
          rows,
          vocabulary);
      if (raw == RawLogits.WANTED) {
        choose(stream, batch, target, firstSample + done, rows, 0);
      }
    }
  }

  /** Chooses for {@code rows} samples from {@code first} on, whose logits begin at an address. */
  private void choose(
      CudaStream stream, BatchPlan plan, long logits, int first, int rows, int checked) {
    final long tokens = work.answers.address() + 4L * first;
    final long samples = plan.entries.answering();
    final long block = work.batch.address();
    kernels.sample(
        stream,
        work.sampling.address(),
        tokens,
        tokens + 4L * samples,
        tokens + 8L * samples,
        logits,
        block + 4L * (plan.layout.realAt + SamplingKernels.REAL_PARAMETERS * first),
        block + 4L * (plan.layout.wholeAt + SamplingKernels.WHOLE_PARAMETERS * first),
        rows,
        checked,
        vocabulary,
        plan.narrowings());
  }

  private void logProbabilities(CudaStream stream, StepSlot slot, int samples) {
    kernels.logProbabilities(
        stream,
        work.logprobState.address(),
        work.logprobs.address(),
        work.logits.address(),
        work.answers.address(),
        work.batch.address() + 4L * slot.plan.layout.topAt,
        samples,
        vocabulary);
    final long bytes = (long) samples * SamplingKernels.LOGPROB_ANSWER_BYTES;
    stream.copyToHost(slot.logprobs, 0, work.logprobs, 0, bytes);
  }
}
