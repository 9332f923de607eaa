package dev.headway.cuda.executor;

import dev.headway.api.request.Request;
import dev.headway.api.request.SamplingParams;
import dev.headway.cuda.emulation.TestSeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Random prompts of a vocabulary of 97, all of whose log-probabilities are asked for. */
final class GreedyRequests {
  private GreedyRequests() {}

  /** A request for each length of a prompt, by the seed of the run. */
  static List<Request> of(int outputs, int... lengths) {
    final Random random = new Random(TestSeed.VALUE);
    final List<Request> requests = new ArrayList<>();
    for (int length : lengths) {
      requests.add(
          Request.builder("r" + length, random.ints(length, 0, 97).toArray())
              .maxTokens(outputs)
              .sampling(SamplingParams.GREEDY.toBuilder().logprobs(97).build())
              .build());
    }
    return requests;
  }
}
