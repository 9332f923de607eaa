package dev.headway.cuda.executor;

import static dev.headway.api.Absent.ABSENT;

import dev.headway.cuda.device.CudaDevice;
import dev.headway.cuda.device.CudaEvent;
import dev.headway.cuda.device.MemoryUse;
import dev.headway.cuda.device.PinnedBuffer;
import dev.headway.cuda.kernel.SamplingKernels;
import java.lang.foreign.ValueLayout;

/**
 * What one of the steps in flight needs on the device's side: pinned memory that copies in flight
 * may still use, and marks in the stream. Device thread only.
 */
final class StepSlot {
  final BatchPlan plan;
  final StepResults results;
  final PinnedBuffer batch;
  final PinnedBuffer answers;
  final PinnedBuffer logprobs;
  final PinnedBuffer activatedExperts;
  final GrowingPinned penaltyStaging;
  final GrowingPinned ruleStaging;
  final GrowingPinned rawLogits;
  final CudaEvent begun;
  final CudaEvent uploaded;
  final CudaEvent forwarded;
  final CudaEvent done;

  /** Whether {@link #activatedExperts} is of this step. */
  boolean countsExperts;

  StepSlot(
      CudaDevice device, BatchPlan plan, StepResults results, long batchBytes, int maxSamples) {
    this.plan = plan;
    this.results = results;
    batch = device.allocatePinned(new MemoryUse("batch staging", "maxNumSeqs"), batchBytes);
    answers = device.allocatePinned(new MemoryUse("answers", "maxNumSeqs"), 12L * maxSamples);
    logprobs =
        device.allocatePinned(
            new MemoryUse("log-probabilities", "maxNumSeqs"),
            (long) maxSamples * SamplingKernels.LOGPROB_ANSWER_BYTES);
    activatedExperts =
        device.allocatePinned(MemoryUse.of("number of activated experts"), Integer.BYTES);
    penaltyStaging = new GrowingPinned(device, new MemoryUse("penalties", "maxNumSeqs"));
    ruleStaging = new GrowingPinned(device, new MemoryUse("token rules and masks", "maxNumSeqs"));
    rawLogits = new GrowingPinned(device, new MemoryUse("raw logits", "maxNumSeqs"));
    begun = device.newEvent();
    uploaded = device.newEvent();
    forwarded = device.newEvent();
    done = device.newEvent();
  }

  /** Takes the results out, once the device has passed {@link #done}. */
  void finish() {
    results.read(plan, answers.segment());
    results.readLogprobs(plan, logprobs.segment());
    final int rows = plan.entries.hostLogprobs();
    if (rows > 0) {
      results.computeLogprobs(plan, rawLogits.atLeast(rows * results.rowBytes()).segment());
    }
    results.activatedExperts =
        countsExperts ? activatedExperts.segment().get(ValueLayout.JAVA_INT, 0) : ABSENT;
    results.uploadNs = uploaded.elapsedNsSince(begun);
    results.forwardNs = forwarded.elapsedNsSince(uploaded);
    results.sampleNs = done.elapsedNsSince(forwarded);
  }
}
