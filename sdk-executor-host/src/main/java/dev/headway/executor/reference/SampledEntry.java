package dev.headway.executor.reference;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import org.jspecify.annotations.Nullable;

/** Result of a sampling entry: made by any worker, written to the output by the engine thread. */
final class SampledEntry {

  private int entry;
  private int token;
  private @Nullable TokenLogprobs logprobs;
  private @Nullable RuntimeException failure;

  void begin(int entry) {
    this.entry = entry;
    logprobs = null;
    failure = null;
  }

  void token(int token, @Nullable TokenLogprobs logprobs) {
    this.token = token;
    this.logprobs = logprobs;
  }

  void fail(RuntimeException failure) {
    this.failure = failure;
  }

  void tell(StepOutput output) {
    if (failure != null) {
      output.fail(entry, failure);
    } else if (logprobs != null) {
      output.addToken(entry, token, logprobs);
    } else {
      output.addToken(entry, token);
    }
  }
}
