package dev.headway.executor.reference;

import dev.headway.api.step.StepOutput;
import dev.headway.api.step.TokenLogprobs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Result of a sampling entry: made by any worker, written to the output by the engine thread. */
final class SampledEntry {

  private int entry;
  private int firstSample;
  private int count;
  private int[] tokens = new int[1];
  private final List<@Nullable TokenLogprobs> logprobs = new ArrayList<>(1);
  private int[] drafts = {};
  private @Nullable RuntimeException failure;

  /** Starts anew, for an entry of the plan whose first sampling row is {@code firstSample}. */
  void begin(int entry, int firstSample) {
    this.entry = entry;
    this.firstSample = firstSample;
    count = 0;
    logprobs.clear();
    drafts = new int[0];
    failure = null;
  }

  int firstSample() {
    return firstSample;
  }

  void add(int token, @Nullable TokenLogprobs ofToken) {
    if (count == tokens.length) {
      tokens = Arrays.copyOf(tokens, 2 * count);
    }
    tokens[count++] = token;
    logprobs.add(ofToken);
  }

  /** Tokens to be verified in the request's next step. */
  void propose(int[] proposed) {
    drafts = proposed;
  }

  void fail(RuntimeException cause) {
    this.failure = cause;
  }

  void tell(StepOutput output) {
    if (failure != null) {
      output.fail(entry, failure);
      return;
    }
    for (int i = 0; i < count; i++) {
      final TokenLogprobs ofToken = logprobs.get(i);
      if (ofToken != null) {
        output.addToken(entry, tokens[i], ofToken);
      } else {
        output.addToken(entry, tokens[i]);
      }
    }
    for (int draft : drafts) {
      output.addDraft(entry, draft);
    }
  }
}
