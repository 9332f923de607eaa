package dev.headway.cuda.executor;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaStream;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.Kernels;
import dev.headway.cuda.kernel.SamplingKernels;

/**
 * The launches from logits to tokens: look for logits that are no numbers, change them as requests
 * ask for, choose, compute the log-probabilities that are wanted, bring back. Device thread only.
 */
final class TokenChoice {
  private final SamplingKernels kernels;
  private final LogitChanges changes;
  private final Workspace work;
  private final int vocabulary;
  private final int maxSamples;

  TokenChoice(CudaDevice device, Kernels kernels, Workspace work, int vocabulary, int maxSamples) {
    this.kernels = kernels.sampling();
    changes = new LogitChanges(device, kernels, work, vocabulary);
    this.work = work;
    this.vocabulary = vocabulary;
    this.maxSamples = maxSamples;
  }

  /** Sends what changes of logits look at; before the forward pass. */
  void upload(CudaStream stream, StepSlot slot) {
    changes.upload(stream, slot);
  }

  /** Enqueues the choice and the copies to the host. */
  void enqueue(CudaStream stream, StepSlot slot) {
    final BatchPlan plan = slot.plan;
    final int samples = plan.entries.answering();
    if (samples == 0) {
      return;
    }
    keepRawLogits(stream, slot);
    final int changed = plan.entries.changed();
    final int plain = samples - changed;
    final boolean logprobs = plan.entries.deviceLogprobs() > 0;
    if (changed > 0) {
      findStrays(stream, samples, plain, changed);
    }
    if (changed > 0 && logprobs) {
      chooseFromCopies(stream, plan, plain);
    } else {
      if (changed > 0) {
        changes.apply(stream, plan, 0, changed);
      }
      choose(stream, plan, work.logits.address(), 0, samples, plain);
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
    final long stray = tokens + 4L * maxSamples;
    final long strayLogit = tokens + 8L * maxSamples;
    kernels.firstNotFinite(stream, stray, strayLogit, logits, 1, vocabulary);
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
    changes.launchAll(stream, logits, zeros);
    stream.fill(work.answers, 0, work.answers.bytes(), (byte) 0xff); // no token anywhere yet
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
    for (int lane = 0; lane < entries.size(); lane++) {
      if (entries.logprobsOnHost(lane)) {
        final long from = slot.plan.sampleOf(lane) * rowBytes;
        stream.copyToHost(target, to, work.logits, from, rowBytes);
        to += rowBytes;
      }
    }
  }

  /** Of rows that change: what they were then is no fault. */
  private void findStrays(CudaStream stream, int samples, int plain, int changed) {
    final long strays = work.answers.address() + 4L * (samples + plain);
    final long logits = work.logits.address() + 4L * vocabulary * plain;
    kernels.firstNotFinite(stream, strays, strays + 4L * samples, logits, changed, vocabulary);
  }

  /** Where raw logits are still wanted: rows that change are copied, some at a time. */
  private void chooseFromCopies(CudaStream stream, BatchPlan plan, int plain) {
    if (plain > 0) {
      choose(stream, plan, work.logits.address(), 0, plain, plain);
    }
    final int changed = plan.entries.changed();
    for (int done = 0; done < changed; done += Workspace.CHANGED_ROWS) {
      final int rows = Math.min(Workspace.CHANGED_ROWS, changed - done);
      final long logits = changes.applyToCopy(stream, plan, done, rows);
      choose(stream, plan, logits, plain + done, rows, 0);
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
